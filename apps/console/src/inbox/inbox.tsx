import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { frameDrawn } from '../parts/after-frame';
import { Page } from '../parts/page';
import { Empty, Loading, Problem } from '../parts/state';
import { Time } from '../parts/time';
import { useReloadOn } from '../stream/reload';
import type { Entry } from './entry';
import { entries, error, filter, filters, isLoaded, isLoading, load, markAllRead, more, show } from './items';
import { Windowed } from './windowed';

const rowHeight = 84;
const kinds = { notification: 'Notification', prompt: 'Question', page: 'Page' } as const;

export function Inbox() {
  // Before a frame is drawn: the answers may be there.
  useLayoutEffect(show, []);
  const failed = useSignal<unknown>(undefined);
  const isFiltered = filters.value.isOpen || filters.value.q !== '' || filters.value.projectId !== undefined;
  const markAll = (): void => {
    failed.value = undefined;
    markAllRead().catch((thrown: unknown) => (failed.value = thrown));
  };
  return (
    <Page title="Inbox">
      <Filters />
      <div class="actions">
        <button type="button" onClick={markAll}>
          Mark all as read
        </button>
      </div>
      {failed.value !== undefined && <Problem error={failed.value} again={markAll} />}
      {error.value !== undefined && <Problem error={error.value} again={() => void load()} />}
      {!isLoaded.value && isLoading.value && <Loading />}
      {isLoaded.value && entries.value.length === 0 && (
        <Empty>
          {isFiltered ? 'Nothing fits.' : 'Nothing here yet. What your agents send appears here.'}
        </Empty>
      )}
      {isLoaded.value && (
        <Windowed
          label="Inbox"
          items={entries.value}
          keyOf={({ key }) => key}
          rowHeight={rowHeight}
          onNearEnd={() => void more()}
        >
          {(entry) => <Row {...entry} />}
        </Windowed>
      )}
    </Page>
  );
}

function Row({ kind, href, source, title, preview, at, isOpen, state }: Entry) {
  return (
    <a href={href} class={isOpen ? 'row open' : 'row'}>
      <span class="about">
        <span class="source">
          {isOpen && <span class="dot" role="img" aria-label={kind === 'notification' ? 'Unread' : 'Open'} />}
          {kind !== 'notification' && <b>{kinds[kind]} · </b>}
          {source}
          {state && <span class={`state ${isOpen ? 'waiting' : ''}`}>{state}</span>}
        </span>
        <Time at={at} />
      </span>
      <span class="title">{title}</span>
      <span class="preview">{preview}</span>
    </a>
  );
}

function Filters() {
  const { isOpen, q } = filters.value;
  return (
    <search class="filters">
      {isLoaded.value || filters.value.projectId !== undefined ? <Projects /> : null}
      <label>
        Search
        <input
          type="search"
          value={q}
          onChange={({ currentTarget: { value } }) => filter({ q: value.trim() })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={isOpen}
          onChange={({ currentTarget: { checked } }) => filter({ isOpen: checked })}
        />
        Unread and open only
      </label>
    </search>
  );
}

/** Loaded after the list, which can be used without it. */
function Projects() {
  const projects = useLoaded('projects', async () => {
    await frameDrawn();
    return api.get('/inbox/projects', { params: { query: { limit: 100 } } });
  });
  useReloadOn(({ topic }) => topic === 'inbox' || topic === 'reset', projects.reload);
  const { projectId } = filters.value;
  const named = projects.data?.projects.filter((each) => each.projectId !== null) ?? [];
  return (
    <label>
      Project
      <select
        value={projectId ?? ''}
        onChange={({ currentTarget: { value } }) => filter({ projectId: value === '' ? undefined : value })}
      >
        <option value="">All{projects.data && ` (${projects.data.totalUnread} unread)`}</option>
        {named.map((each) => (
          <option key={each.projectId} value={each.projectId ?? ''}>
            {each.name} ({each.unreadCount} unread)
          </option>
        ))}
      </select>
    </label>
  );
}
