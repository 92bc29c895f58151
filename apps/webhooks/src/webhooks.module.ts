import { Database } from '@carillon/event-store';
import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { Deliveries } from './delivery/deliveries';
import { Connectors } from './destination/connectors.client';
import { Destinations } from './destination/destinations.client';
import { Rates } from './destination/rates.client';
import { HealthProcess } from './health/health.process';
import { DisabledNotices } from './health/disabled-notices.worker';
import { Webhooks1763683200001 } from './migrations/1-webhooks';
import { Replies1763683200002 } from './migrations/2-replies';
import { ReplyOwners1763683200003 } from './migrations/3-reply-owners';
import { ReplyConnectors1766016000004 } from './migrations/4-reply-connectors';
import { OutboxProcess } from './outbox/outbox.process';

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
      migrations: [
        Webhooks1763683200001,
        Replies1763683200002,
        ReplyOwners1763683200003,
        ReplyConnectors1766016000004,
      ],
      projections: [WebhookProjection, ReplyProjection, OutboxProcess, HealthProcess],
      queues: [DisabledNotices, ReplyWorker],
      providers: [Connectors, Destinations, Rates, ReplySender],
    }),
  ],
  controllers: [WebhookHandlers, ReplyHandlers],
  providers: [
    { provide: Deliveries, useFactory: (database: Database) => new Deliveries(database), inject: [Database] },
  ],
})
export class WebhooksModule {}
