import { Audience } from '@carillon/push-client';
import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { OrdersProcess } from './admission/orders.process';
import { Orders } from './admission/orders.worker';
import { Boards } from './admission/boards.service';
import { Loans } from './admission/loans.service';
import { Starter } from './admission/starter.service';
import { Answers } from './answer/answers.service';
import { ChangeHandlers } from './change/change.handlers';
import { Identifiers } from './change/identifiers.service';
import { Commands } from './command/commands.service';
import { Lanes } from './lane/lanes.client';
import { Activities1763683200001 } from './migrations/1-activities';
import { Commands1763683200002 } from './migrations/2-commands';
import { Recipients1763769600003 } from './migrations/3-recipients';
import { Senders1766534400004 } from './migrations/4-senders';
import { PromptHandlers } from './start/prompt.handlers';
import { StartHandlers } from './start/start.handlers';
import { ActivitiesProjection } from './status/activities.projection';
import { ReadingHandlers } from './status/reading.handlers';
import { Standings } from './status/standings.service';

@Module({
  imports: [
    ServiceModule.for({
      name: 'activities',
      migrations: [
        Activities1763683200001,
        Commands1763683200002,
        Recipients1763769600003,
        Senders1766534400004,
      ],
      projections: [ActivitiesProjection, OrdersProcess],
      queues: [Orders],
      providers: [Boards, Loans, Starter],
    }),
  ],
  controllers: [StartHandlers, PromptHandlers, ChangeHandlers, ReadingHandlers],
  providers: [Answers, Commands, Identifiers, Audience, Lanes, Standings],
})
export class ActivitiesModule {}
