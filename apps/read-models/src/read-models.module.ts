import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { InboxHandlers } from './inbox/inbox.handlers';
import { InboxProjection } from './inbox/inbox.projection';
import { Inbox1763683200001 } from './migrations/1-inbox';

@Module({
  imports: [
    ServiceModule.for({
      name: 'read-models',
      migrations: [Inbox1763683200001],
      projections: [InboxProjection],
    }),
  ],
  controllers: [InboxHandlers],
})
export class ReadModelsModule {}
