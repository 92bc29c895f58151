import { ServiceModule } from '@carillon/runtime';
import { WebAppViews, WebAppViews1766016000001, WebAppViewsProjection } from '@carillon/web-app-views';
import { Module } from '@nestjs/common';
import { ChangesHandlers } from './changes/changes.handlers';
import { ChangesProjection } from './changes/changes.projection';
import { ChangesCleanup } from './changes/changes-cleanup.service';
import { EventHandlers } from './event/event.handlers';
import { EventProjection } from './event/event.projection';
import { EventsCleanup } from './event/events-cleanup.service';
import { FeedHandlers } from './feed/feed.handlers';
import { FeedProjection } from './feed/feed.projection';
import { InboxHandlers } from './inbox/inbox.handlers';
import { InboxProjection } from './inbox/inbox.projection';
import { Inbox1763683200001 } from './migrations/1-inbox';
import { Published1763683200002 } from './migrations/2-published';
import { Events1763683200003 } from './migrations/3-events';
import { Feed1763683200004 } from './migrations/4-feed';
import { Changes1763683200005 } from './migrations/5-changes';
import { Responses1763683200006 } from './migrations/6-responses';
import { Activities1763683200007 } from './migrations/7-activities';
import { Recipients1763769600008 } from './migrations/8-recipients';
import { Apps1763683200010 } from './migrations/10-apps';
import { EventRetentions1766016000011 } from './migrations/11-event-retentions';
import { Senders1766534400012 } from './migrations/12-senders';
import { ReadMarks1766620800013 } from './migrations/13-read-marks';
import { PublishedProcess } from './published/published.process';
import { PublishedClient } from './published/published.client';

@Module({
  imports: [
    ServiceModule.for({
      name: 'read-models',
      migrations: [
        Inbox1763683200001,
        Published1763683200002,
        Events1763683200003,
        Feed1763683200004,
        Changes1763683200005,
        Responses1763683200006,
        Activities1763683200007,
        Recipients1763769600008,
        Apps1763683200010,
        WebAppViews1766016000001,
        EventRetentions1766016000011,
        Senders1766534400012,
        ReadMarks1766620800013,
      ],
      projections: [
        InboxProjection,
        EventProjection,
        FeedProjection,
        ChangesProjection,
        WebAppViewsProjection,
      ],
    }),
  ],
  controllers: [InboxHandlers, EventHandlers, FeedHandlers, ChangesHandlers],
  providers: [WebAppViews, PublishedClient, PublishedProcess, ChangesCleanup, EventsCleanup],
})
export class ReadModelsModule {}
