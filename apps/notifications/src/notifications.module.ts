import { isSet, PushOutcomes, ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { EchoHandlers } from './bench/echo.handlers';
import { EventHandlers } from './event/event.handlers';
import { Services1763683200001 } from './migrations/1-services';
import { NotificationHandlers } from './notification/notification.handlers';
import { ServiceHandlers } from './service/service.handlers';
import { ServiceProjection } from './service/service.projection';

@Module({
  imports: [
    ServiceModule.for({
      name: 'notifications',
      migrations: [Services1763683200001],
      projections: [ServiceProjection],
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
