import { Audience, PushOutcomes } from '@carillon/push-client';
import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { EscalationProcess } from './escalation/escalation.process';
import { Escalations } from './escalation/escalations.service';
import { EscalationCommands } from './escalation/escalations.worker';
import { Expiries } from './expiry/expiries.worker';
import { ExpiryProcess } from './expiry/expiry.process';
import { firstRelease } from './migrations/1-first-release';
import { ForgottenPrompts } from './pending/forgotten-prompts.worker';
import { PendingHandlers } from './pending/pending.handlers';
import { PendingProjection } from './pending/pending.projection';
import { PromptRetention } from './pending/prompt-retention.service';
import { PromptHandlers } from './prompt/prompt.handlers';
import { Responders } from './prompt/responders.client';
import { Teammates } from './prompt/teammates.client';

@Module({
  imports: [
    ServiceModule.for({
      name: 'interactions',
      migrations: [firstRelease],
      projections: [PendingProjection, ExpiryProcess, EscalationProcess],
      queues: [Expiries, EscalationCommands, ForgottenPrompts],
      providers: [Escalations],
    }),
  ],
  controllers: [PromptHandlers, PendingHandlers],
  providers: [Audience, PushOutcomes, PromptRetention, Responders, Teammates],
})
export class InteractionsModule {}
