import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';

@Module({
  imports: [ServiceModule.for({ name: 'interactions', migrations: [], projections: [] })],
  controllers: [],
  providers: [],
})
export class InteractionsModule {}
