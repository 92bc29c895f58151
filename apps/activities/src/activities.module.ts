import { Audience } from '@carillon/push-client';
import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { AdmissionProcess } from './admission/admission.process';
import { AdmissionCommands } from './admission/admission.worker';
import { Boards } from './admission/boards.service';
import { Loans } from './admission/loans.service';
import { Starter } from './admission/starter.service';
import { Answers } from './answer/answers.service';
import { ActivityChangeHandlers } from './change/activity-change.handlers';
import { Identifiers } from './change/identifiers.service';
import { Commands } from './command/commands.service';
import { Lanes } from './lane/lanes.client';
import { firstRelease } from './migrations/1-first-release';
import { ActivityPromptHandlers } from './start/activity-prompt.handlers';
import { ActivityStartHandlers } from './start/activity-start.handlers';
import { ActivitiesProjection } from './status/activities.projection';
import { ActivityRetention } from './status/activity-retention.service';
import { ActivityReadHandlers } from './status/activity-read.handlers';
import { ForgottenActivities } from './status/forgotten-activities.worker';
import { DerivedStatuses } from './status/derived-statuses.service';

@Module({
  imports: [
    ServiceModule.for({
      name: 'activities',
      migrations: [firstRelease],
      projections: [ActivitiesProjection, AdmissionProcess],
      queues: [AdmissionCommands, ForgottenActivities],
      providers: [Boards, Loans, Starter],
    }),
  ],
  controllers: [ActivityStartHandlers, ActivityPromptHandlers, ActivityChangeHandlers, ActivityReadHandlers],
  providers: [Answers, Commands, Identifiers, Audience, Lanes, DerivedStatuses, ActivityRetention],
})
export class ActivitiesModule {}
