import { ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { EventHandlers } from './event/event.handlers';
import { EventProjection } from './event/event.projection';
import { FeedHandlers } from './feed/feed.handlers';
import { FeedProjection } from './feed/feed.projection';
import { InboxHandlers } from './inbox/inbox.handlers';
import { InboxProjection } from './inbox/inbox.projection';
import { Inbox1763683200001 } from './migrations/1-inbox';
import { Published1763683200002 } from './migrations/2-published';
import { Events1763683200003 } from './migrations/3-events';
import { Feed1763683200004 } from './migrations/4-feed';
import { PublishedProcess } from './published/published.process';
import { PublishedWorker } from './published/published.worker';

@Module({
  imports: [
    ServiceModule.for({
      name: 'read-models',
      migrations: [Inbox1763683200001, Published1763683200002, Events1763683200003, Feed1763683200004],
      projections: [InboxProjection, EventProjection, FeedProjection],
    }),
  ],
  controllers: [InboxHandlers, EventHandlers, FeedHandlers],
  providers: [PublishedWorker, PublishedProcess],
})
export class ReadModelsModule {}
