import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { InboxHandlers } from './inbox/inbox.handlers';
import { InboxProjection } from './inbox/inbox.projection';
import { Inbox1763683200001 } from './migrations/1-inbox';
import { Published1763683200002 } from './migrations/2-published';
import { PublishedProcess } from './published/published.process';
import { PublishedWorker } from './published/published.worker';

@Module({
  imports: [
    ServiceModule.for({
      name: 'read-models',
      migrations: [Inbox1763683200001, Published1763683200002],
      projections: [InboxProjection],
    }),
  ],
  controllers: [InboxHandlers],
  providers: [PublishedWorker, PublishedProcess],
})
export class ReadModelsModule {}
