import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Field, Form, momentOf, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { Month } from './month';
import { Rotation } from './rotation';

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
            {why.data && <p class="faint">{why.data.text}</p>}
            {coverage.data && coverage.data.gaps.length > 0 && (
              <p class="problem" role="status">
                Nobody is on call from {moment(coverage.data.gaps[0]?.startsAt ?? '')} to{' '}
                {moment(coverage.data.gaps[0]?.endsAt ?? '')}
                {coverage.data.gaps.length > 1 && `, and ${coverage.data.gaps.length - 1} more times`}.
              </p>
            )}
            <Month group={group} />
            <Agenda group={group} />
            <Overrides group={group} changed={changed} />
            <Rotation group={group} changed={changed} />
            <Pages group={group} />
          </>
        )}
      </Shown>
    </Page>
  );
}

const Agenda = ({ group }: { group: Group }) => (
  <section aria-labelledby="agenda">
    <h2 id="agenda">Next shifts</h2>
    {group.upcoming.length === 0 && <Empty>No shift follows.</Empty>}
    <ol class="cards">
      {group.upcoming.map(({ person, startsAt, endsAt, override }) => (
        <li key={startsAt}>
          <p>
            <b>{person.name}</b> {override && <span class="state">override</span>}
          </p>
          <p class="faint">
            {moment(startsAt)} to {moment(endsAt)}
          </p>
        </li>
      ))}
    </ol>
  </section>
);

function Overrides({ group, changed }: { group: Group; changed: () => void }) {
  const version = useSignal(0);
  const add = async (form: FormData): Promise<void> => {
    const body = {
      userId: textOf(form, 'userId'),
      startsAt: momentOf(textOf(form, 'startsAt')),
      endsAt: momentOf(textOf(form, 'endsAt')),
    };
    await api.post('/oncall/{groupId}/overrides', { params: { path: { groupId: group.id } }, body });
    version.value += 1;
    changed();
  };
  return (
    <section aria-labelledby="overrides">
      <h2 id="overrides">Overrides</h2>
      {group.overrides.length === 0 && <Empty>Nobody stands in for anybody.</Empty>}
      <ul class="cards">
        {group.overrides.map(({ id, person, startsAt, endsAt }) => (
          <li key={id}>
            <p>
              <b>{person.name}</b>, {moment(startsAt)} to {moment(endsAt)}
            </p>
            <Act
              sure={`Take the override of ${person.name} away?`}
              act={async () => {
                const path = { groupId: group.id, overrideId: id };
                await api.delete('/oncall/{groupId}/overrides/{overrideId}', { params: { path } });
                changed();
              }}
            >
              Take away
            </Act>
          </li>
        ))}
      </ul>
      <Form key={version.value} label="New override" submit="Add" send={add}>
        <Field
          label="Who is on call instead"
          name="userId"
          options={group.rotation.members.map(({ userId, name }) => [userId, name] as const)}
        />
        <Field label="From" name="startsAt" type="datetime-local" />
        <Field label="To" name="endsAt" type="datetime-local" />
      </Form>
    </section>
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
