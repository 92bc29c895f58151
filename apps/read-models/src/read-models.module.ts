import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { ChangesHandlers } from './changes/changes.handlers';
import { ChangesProjection } from './changes/changes.projection';
import { ChangesWorker } from './changes/changes.worker';
import { InboxHandlers } from './inbox/inbox.handlers';
import { InboxProjection } from './inbox/inbox.projection';
import { Inbox1763683200001 } from './migrations/1-inbox';
import { Published1763683200002 } from './migrations/2-published';
import { Changes1763683200003 } from './migrations/3-changes';
import { PublishedProcess } from './published/published.process';
import { PublishedWorker } from './published/published.worker';

@Module({
  imports: [
    ServiceModule.for({
      name: 'read-models',
      migrations: [Inbox1763683200001, Published1763683200002, Changes1763683200003],
      projections: [InboxProjection, ChangesProjection],
    }),
  ],
  controllers: [InboxHandlers, ChangesHandlers],
  providers: [ChangesWorker, PublishedWorker, PublishedProcess],
})
export class ReadModelsModule {}
