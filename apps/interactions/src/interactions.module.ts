import { PushOutcomes } from '@carillon/push-client';
import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { Expiries } from './expiry/expiries.worker';
import { ExpiryProcess } from './expiry/expiry.process';
import { Prompts1763683200001 } from './migrations/1-prompts';
import { PendingHandlers } from './pending/pending.handlers';
import { PendingProjection } from './pending/pending.projection';
import { PromptHandlers } from './prompt/prompt.handlers';

@Module({
  imports: [
    ServiceModule.for({
      name: 'interactions',
      migrations: [Prompts1763683200001],
      projections: [PendingProjection, ExpiryProcess],
      queues: [Expiries],
    }),
  ],
  controllers: [PromptHandlers, PendingHandlers],
  providers: [PushOutcomes],
})
export class InteractionsModule {}
