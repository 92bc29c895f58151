import { Audience, PushOutcomes } from '@carillon/push-client';
import { isSet, ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { AlertPages } from './alert/alert-pages.worker';
import { Calls } from './event/calls.service';
import { Silences } from './alert/silences.worker';
import { AlertsProcess } from './alert/alerts.process';
import { EchoHandlers } from './bench/echo.handlers';
import { EventHandlers } from './event/event.handlers';
import { ReceivedEvents } from './event/received-events.service';
import { RepeatedStates } from './event/repeated-states.service';
import { firstRelease } from './migrations/1-first-release';
import { NotificationHandlers } from './notification/notification.handlers';
import { PayloadCleanup } from './payload/payload-cleanup.service';
import { PayloadHandlers } from './payload/payload.handlers';
import { Payloads } from './payload/payloads.service';
import { DeletedWebhooksProcess } from './service/deleted-webhooks.process';
import { DeletedWebhooks } from './service/deleted-webhooks.worker';
import { EndedServiceRows } from './service/ended-rows.service';
import { EndedShares } from './service/ended-shares.worker';
import { Families } from './service/families.client';
import { HookServices } from './service/hook-services.service';
import { HookUrls } from './service/hook-urls.service';
import { OncallGroups } from './service/oncall-groups.client';
import { ReplyWebhooks } from './service/reply-webhooks.client';
import { SenderSecrets } from './service/sender-secrets.service';
import { ServiceAccess } from './service/service-access.service';
import { ServiceChangeHandlers } from './service/service-change.handlers';
import { ServiceReadHandlers } from './service/service-read.handlers';
import { ServiceHandlers } from './service/service.handlers';
import { ServiceProjection } from './service/service.projection';
import { SharesProcess } from './service/shares.process';
import { Shares } from './service/shares.service';
import { ServiceViews } from './service/service-views.service';
import { SuspensionProjection } from './suspension/suspension.projection';

@Module({
  imports: [
    ServiceModule.for({
      name: 'notifications',
      migrations: [firstRelease],
      projections: [
        ServiceProjection,
        SuspensionProjection,
        DeletedWebhooksProcess,
        SharesProcess,
        AlertsProcess,
      ],
      queues: [DeletedWebhooks, EndedShares, AlertPages, Silences],
      providers: [Calls, OncallGroups],
    }),
  ],
  controllers: [
    NotificationHandlers,
    ServiceHandlers,
    ServiceChangeHandlers,
    ServiceReadHandlers,
    EventHandlers,
    PayloadHandlers,
    ...(isSet('CARILLON_BENCH') ? [EchoHandlers] : []),
  ],
  providers: [
    Audience,
    Families,
    PushOutcomes,
    ReceivedEvents,
    RepeatedStates,
    Shares,
    EndedServiceRows,
    SenderSecrets,
    ReplyWebhooks,
    HookServices,
    HookUrls,
    PayloadCleanup,
    Payloads,
    ServiceAccess,
    ServiceViews,
  ],
})
export class NotificationsModule {}
