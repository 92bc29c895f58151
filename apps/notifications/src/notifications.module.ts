import { PushOutcomes } from '@carillon/push-client';
import { isSet, ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { EchoHandlers } from './bench/echo.handlers';
import { EventHandlers } from './event/event.handlers';
import { Services1763683200001 } from './migrations/1-services';
import { DeletedWebhooks1763683200002 } from './migrations/2-deleted-webhooks';
import { NotificationHandlers } from './notification/notification.handlers';
import { DeletedWebhooksProcess } from './service/deleted-webhooks.process';
import { DeletedWebhooks } from './service/deleted-webhooks.worker';
import { ServiceHandlers } from './service/service.handlers';
import { ServiceProjection } from './service/service.projection';

@Module({
  imports: [
    ServiceModule.for({
      name: 'notifications',
      migrations: [Services1763683200001, DeletedWebhooks1763683200002],
      projections: [ServiceProjection, DeletedWebhooksProcess],
      queues: [DeletedWebhooks],
    }),
  ],
  controllers: [
    NotificationHandlers,
    ServiceHandlers,
    EventHandlers,
    ...(isSet('CARILLON_BENCH') ? [EchoHandlers] : []),
  ],
  providers: [PushOutcomes],
})
export class NotificationsModule {}
