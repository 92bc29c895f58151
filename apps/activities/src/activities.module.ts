import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { ActivityHandlers } from './activity/activity.handlers';
import { Mutations } from './activity/mutations.service';
import { Commands } from './command/commands.service';
import { Orders } from './admission/orders.worker';
import { OrdersProcess } from './admission/orders.process';
import { Starter } from './admission/starter.service';
import { Lanes } from './lane/lanes.client';
import { Activities1763683200001 } from './migrations/1-activities';
import { Commands1763683200002 } from './migrations/2-commands';
import { ActivitiesProjection } from './status/activities.projection';
import { ReadingHandlers } from './status/reading.handlers';

@Module({
  imports: [
    ServiceModule.for({
      name: 'activities',
      migrations: [Activities1763683200001, Commands1763683200002],
      projections: [ActivitiesProjection, OrdersProcess],
      queues: [Orders],
      providers: [Starter],
    }),
  ],
  controllers: [ActivityHandlers, ReadingHandlers],
  providers: [Commands, Lanes, Mutations],
})
export class ActivitiesModule {}
