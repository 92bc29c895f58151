import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';

@Module({
  imports: [ServiceModule.for({ name: 'activities', migrations: [], projections: [] })],
  controllers: [],
  providers: [],
})
export class ActivitiesModule {}
