import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { ActivityHandlers } from './activity/activity.handlers';
import { Mutations } from './activity/mutations.worker';
import { Orders } from './admission/orders.worker';
import { OrdersProcess } from './admission/orders.process';
import { Starter } from './admission/starter.worker';
import { Lanes } from './lane/lanes.worker';
import { Activities1763683200001 } from './migrations/1-activities';
import { ActivitiesProjection } from './status/activities.projection';
import { ReadingHandlers } from './status/reading.handlers';

@Module({
  imports: [
    ServiceModule.for({
      name: 'activities',
      migrations: [Activities1763683200001],
      projections: [ActivitiesProjection, OrdersProcess],
      queues: [Orders],
      providers: [Starter],
    }),
  ],
  controllers: [ActivityHandlers, ReadingHandlers],
  providers: [Lanes, Mutations],
})
export class ActivitiesModule {}
