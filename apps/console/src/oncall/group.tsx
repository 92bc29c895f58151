import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Shown } from '../parts/state';
import { moment } from '../parts/time';
import { Agenda } from './agenda';
import type { TimeWindow } from './drag';
import { Escalation } from './escalation';
import { Month } from './month';
import { Overrides } from './overrides';
import { plannedIn } from './planned';
import { usePreview } from './preview';
import { Rotation } from './rotation';
import { Warnings } from './warnings';

type Group = SessionSchemas['schemas']['OncallGroup'];

export default function OncallGroup({ id }: { id: string }) {
  const params = { path: { groupId: id } };
  const loaded = useLoaded(id, () => api.get('/oncall/{groupId}', { params }));
  const why = useLoaded(`why ${id}`, () => api.get('/oncall/{groupId}/explain', { params }));
  const coverage = useLoaded(`coverage ${id}`, () => api.get('/oncall/{groupId}/coverage', { params }));
  const changed = (): void => {
    for (const each of [loaded, why, coverage]) each.reload();
  };
  return (
    <Page title={loaded.data?.name ?? 'On call'}>
      <Shown of={loaded}>
        {(group) => (
          <>
            <p class="outcome">
              {group.current
                ? `${group.current.person.name} is on call, until ${moment(group.current.endsAt)}.`
                : 'Nobody is on call.'}
            </p>
            <Shown of={why}>{({ text }) => <p class="faint">{text}</p>}</Shown>
            <Shown of={coverage}>{(found) => <Warnings of={found} />}</Shown>
            <Schedule group={group} changed={changed} />
            <Pages group={group} />
          </>
        )}
      </Shown>
    </Page>
  );
}

/** The calendar and what changes it: what is previewed in a form shows in the calendar, what is dragged in a form. */
function Schedule({ group, changed }: { group: Group; changed: () => void }) {
  const picked = useSignal<TimeWindow | undefined>(undefined);
  const preview = usePreview(group.id);
  const pick = ({ startsAt, endsAt }: TimeWindow): void => {
    preview.clear();
    picked.value = { startsAt, endsAt };
  };
  const saved = (): void => {
    picked.value = undefined;
    changed();
  };
  const pending = preview.pending.value;
  const shifts = plannedIn([...(group.current ? [group.current] : []), ...group.upcoming], pending);
  return (
    <>
      <Month group={group} pending={pending} pick={pick} />
      <Agenda group={group} shifts={shifts} pick={pick} />
      <Overrides group={group} picked={picked.value} preview={preview} changed={saved} />
      <Rotation group={group} preview={preview} changed={saved} />
      <Escalation group={group} preview={preview} changed={saved} />
    </>
  );
}

function Pages({ group }: { group: Group }) {
  return (
    <section aria-labelledby="pages">
      <h2 id="pages">Pages</h2>
      <List
        name={group.id}
        reloadOn={({ topic }) => topic === 'pages' || topic === 'reset'}
        empty="Nobody was paged yet."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const query = { groupId: group.id, cursor };
          const path = { id: group.teamId };
          const answer = await api.get('/teams/{id}/pages', { params: { path, query } });
          return { items: answer.pages, next: answer.nextCursor };
        }}
      >
        {(page) => (
          <p>
            <a href={`/console/pages/${page.id}`}>{page.title}</a>
            <span class="state">{page.status}</span>
            <span class="faint"> {moment(page.createdAt)}</span>
          </p>
        )}
      </List>
    </section>
  );
}
