import { Audience, PushOutcomes } from '@carillon/push-client';
import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { EscalationProcess } from './escalation/escalation.process';
import { Escalations } from './escalation/escalations.service';
import { EscalationCommands } from './escalation/escalations.worker';
import { Expiries } from './expiry/expiries.worker';
import { ExpiryProcess } from './expiry/expiry.process';
import { Prompts1763683200001 } from './migrations/1-prompts';
import { Recipients1763769600002 } from './migrations/2-recipients';
import { Escalations1763769600003 } from './migrations/3-escalations';
import { Senders1766534400004 } from './migrations/4-senders';
import { Teams1766534400005 } from './migrations/5-teams';
import { ForgottenPrompts } from './pending/forgotten-prompts.worker';
import { PendingHandlers } from './pending/pending.handlers';
import { PendingProjection } from './pending/pending.projection';
import { PromptHandlers } from './prompt/prompt.handlers';
import { Teammates } from './prompt/teammates.client';

@Module({
  imports: [
    ServiceModule.for({
      name: 'interactions',
      migrations: [
        Prompts1763683200001,
        Recipients1763769600002,
        Escalations1763769600003,
        Senders1766534400004,
        Teams1766534400005,
      ],
      projections: [PendingProjection, ExpiryProcess, EscalationProcess],
      queues: [Expiries, EscalationCommands, ForgottenPrompts],
      providers: [Escalations],
    }),
  ],
  controllers: [PromptHandlers, PendingHandlers],
  providers: [Audience, PushOutcomes, Teammates],
})
export class InteractionsModule {}
