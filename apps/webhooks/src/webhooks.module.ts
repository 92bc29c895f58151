import { Destinations } from '@carillon/destinations';
import { Database } from '@carillon/event-store';
import { listedDays, ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { Deliveries, mostDays } from './delivery/deliveries';
import { Connectors } from './destination/connectors.client';
import { Rates } from './destination/rates.client';
import { EndedWebhookRows } from './health/ended-rows.service';
import { HealthProcess } from './health/health.process';
import { DisabledNotices } from './health/disabled-notices.worker';
import { MessageHandlers } from './message/message.handlers';
import { firstRelease } from './migrations/1-first-release';
import { OutboxProcess } from './outbox/outbox.process';
import { DisconnectedReplies, RepliesOfEnded } from './reply/ended-replies.worker';
import { ReplyCleanup } from './reply/reply-cleanup.service';
import { ReplyHandlers } from './reply/reply.handlers';
import { ReplyProjection } from './reply/reply.projection';
import { ReplyWorker } from './reply/reply.worker';
import { ReplySender } from './reply/sender.client';
import { WebhookHandlers } from './webhook/webhook.handlers';
import { WebhookProjection } from './webhook/webhook.projection';

@Module({
  imports: [
    ServiceModule.for({
      name: 'webhooks',
      migrations: [firstRelease],
      projections: [WebhookProjection, ReplyProjection, OutboxProcess, HealthProcess],
      queues: [DisabledNotices, ReplyWorker, RepliesOfEnded, DisconnectedReplies],
      providers: [
        Connectors,
        { provide: Destinations, useFactory: () => new Destinations() },
        Rates,
        ReplySender,
      ],
    }),
  ],
  controllers: [WebhookHandlers, ReplyHandlers, MessageHandlers],
  providers: [
    EndedWebhookRows,
    ReplyCleanup,
    {
      provide: Deliveries,
      useFactory: (database: Database) => new Deliveries(database, listedDays(mostDays)),
      inject: [Database],
    },
  ],
})
export class WebhooksModule {}
