import type { SessionSchemas } from '@carillon/client';
import { api } from '../api/api';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { moment, Time } from '../parts/time';
import type { Told } from '../stream/stream';

type LiveActivity = SessionSchemas['schemas']['LiveActivity'];
type FeedItem = SessionSchemas['schemas']['ActivityFeedItem'];

const isInFeed = ({ topic }: Told): boolean => topic !== 'inbox' && topic !== 'devices';

export default function Activities() {
  return (
    <Page title="Activities">
      <List
        name="activities"
        reloadOn={({ topic }) => topic === 'activities' || topic === 'reset'}
        empty="Nothing is under way."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const { activities, nextCursor } = await api.get('/activities', { params: { query: { cursor } } });
          return { items: activities, next: nextCursor };
        }}
      >
        {(activity) => <Activity {...activity} />}
      </List>
      <section aria-labelledby="feed">
        <h2 id="feed">Lately</h2>
        <List
          name="feed"
          reloadOn={isInFeed}
          empty="Nothing has happened yet."
          keyOf={({ id }) => id}
          load={async (cursor?: string) => {
            const page = cursor === undefined ? 1 : Number(cursor);
            const feed = await api.get('/activity-feed', { params: { query: { page } } });
            const isLast = page * feed.pageSize >= feed.total;
            return { items: feed.items, next: isLast ? null : String(page + 1) };
          }}
        >
          {(item) => <Happened {...item} />}
        </List>
      </section>
    </Page>
  );
}

function Activity({ props, status, updatedAt }: LiveActivity) {
  const percent = props.progress === null ? undefined : Math.round(props.progress * 100);
  return (
    <article aria-label={props.title}>
      <p>
        <b>{props.title}</b>
        <span class="state">{status}</span> <Time at={updatedAt} />
      </p>
      {props.subtitle && <p>{props.subtitle}</p>}
      {percent !== undefined && (
        <p>
          <progress max={100} value={percent} aria-label={`Progress of ${props.title}`} /> {percent} %
        </p>
      )}
      {(props.status ?? props.detail) && (
        <p class="faint">{[props.status, props.detail].filter(Boolean).join(' · ')}</p>
      )}
      {props.steps && (
        <ol>
          {props.steps.map(({ label, state }) => (
            <li key={label}>
              {label}: {state}
            </li>
          ))}
        </ol>
      )}
      {props.lines && props.lines.length > 0 && <pre tabIndex={0}>{props.lines.join('\n')}</pre>}
      {props.endsAt && <p class="faint">Expected to end {moment(props.endsAt)}.</p>}
    </article>
  );
}

const Happened = ({ title, detail, sourceName, result, createdAt }: FeedItem) => (
  <>
    <p>
      <b>{title}</b> {result && <span class="state">{result}</span>} <Time at={createdAt} />
    </p>
    <p class="faint">
      {sourceName}
      {detail && ` · ${detail}`}
    </p>
  </>
);
