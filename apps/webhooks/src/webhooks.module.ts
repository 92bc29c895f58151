import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { Destinations } from './destination/destination.guard';
import { Webhooks1763683200001 } from './migrations/1-webhooks';
import { WebhookHandlers } from './webhook/webhook.handlers';
import { WebhookProjection } from './webhook/webhook.projection';

@Module({
  imports: [
    ServiceModule.for({
      name: 'webhooks',
      migrations: [Webhooks1763683200001],
      projections: [WebhookProjection],
    }),
  ],
  controllers: [WebhookHandlers],
  providers: [Destinations],
})
export class WebhooksModule {}
