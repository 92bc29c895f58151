import { ServiceModule } from '@carillon/runtime';
import { WebAppViews, WebAppViewsProjection } from '@carillon/web-app-views';
import { Module } from '@nestjs/common';
import { ChangesHandlers } from './changes/changes.handlers';
import { ChangesProjection } from './changes/changes.projection';
import { ChangesCleanup } from './changes/changes-cleanup.service';
import { EventHandlers } from './event/event.handlers';
import { EventProjection } from './event/event.projection';
import { EventsCleanup } from './event/events-cleanup.service';
import { ForgottenEvents } from './event/forgotten-events.worker';
import { FeedCleanup } from './feed/feed-cleanup.service';
import { FeedHandlers } from './feed/feed.handlers';
import { FeedProjection } from './feed/feed.projection';
import { ForgottenLines } from './feed/forgotten-lines.worker';
import { LateLines } from './feed/late-lines.worker';
import { DeletedInboxes } from './inbox/deleted-inboxes.worker';
import { ForgottenItems } from './inbox/forgotten-items.worker';
import { InboxCleanup } from './inbox/inbox-cleanup.service';
import { InboxHandlers } from './inbox/inbox.handlers';
import { SentHandlers } from './inbox/sent.handlers';
import { InboxProjection } from './inbox/inbox.projection';
import { LogCleanup } from './log-retention/log-cleanup.service';
import { firstRelease } from './migrations/1-first-release';
import { PublishedProcess } from './published/published.process';
import { PublishedClient } from './published/published.client';
import { ReadModelsRetention } from './retention.service';

@Module({
  imports: [
    ServiceModule.for({
      name: 'read-models',
      migrations: [firstRelease],
      projections: [
        InboxProjection,
        EventProjection,
        FeedProjection,
        ChangesProjection,
        WebAppViewsProjection,
      ],
      queues: [DeletedInboxes, ForgottenEvents, ForgottenItems, ForgottenLines, LateLines],
    }),
  ],
  controllers: [InboxHandlers, SentHandlers, EventHandlers, FeedHandlers, ChangesHandlers],
  providers: [
    WebAppViews,
    PublishedClient,
    PublishedProcess,
    ChangesCleanup,
    EventsCleanup,
    FeedCleanup,
    LogCleanup,
    InboxCleanup,
    ReadModelsRetention,
  ],
})
export class ReadModelsModule {}
