import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Shown } from '../parts/state';
import { moment } from '../parts/time';
import { account } from '../session/session';

type OperatedAccount = SessionSchemas['schemas']['OperatedAccount'];
type Health = SessionSchemas['schemas']['InstallationHealth'];

/** The installation as a whole. The server has no such routes for others than operators. */
export default function Operator() {
  const query = useSignal('');
  return (
    <Page title="Operator">
      <section aria-labelledby="health">
        <h2 id="health">Health</h2>
        <State />
      </section>
      <section aria-labelledby="dead-letters">
        <h2 id="dead-letters">Dead letters</h2>
        <DeadLetters />
      </section>
      <section aria-labelledby="accounts">
        <h2 id="accounts">Accounts</h2>
        <Form
          label="Find accounts"
          submit="Find"
          send={async (form) => void (query.value = textOf(form, 'query'))}
        >
          <Field label="Name or address" name="query" />
        </Form>
        <List
          name={`accounts ${query.value}`}
          empty="No account has this in its name or address."
          keyOf={({ id }) => id}
          load={async (cursor?: string) => {
            const params = { query: { cursor, query: query.value || undefined } };
            const { accounts, nextCursor } = await api.get('/operator/accounts', { params });
            return { items: accounts, next: nextCursor };
          }}
        >
          {(each, changed) => <AccountRow each={each} changed={changed} />}
        </List>
      </section>
      <section aria-labelledby="teams">
        <h2 id="teams">Teams</h2>
        <List
          name="all teams"
          empty="There is no family or team."
          keyOf={({ id }) => id}
          load={async (cursor?: string) => {
            const { teams, nextCursor } = await api.get('/operator/teams', { params: { query: { cursor } } });
            return { items: teams, next: nextCursor };
          }}
        >
          {(team) => (
            <p>
              <b>{team.name}</b>{' '}
              <span class="faint">
                {team.kind} of {team.memberCount} · since {moment(team.createdAt)}
              </span>
            </p>
          )}
        </List>
      </section>
    </Page>
  );
}

function AccountRow({ each, changed }: { each: OperatedAccount; changed: () => void }) {
  const params = { path: { accountId: each.id } };
  const suspend = async (): Promise<void> => {
    await api.post('/operator/accounts/{accountId}/suspend', { params });
    changed();
  };
  const resume = async (): Promise<void> => {
    await api.post('/operator/accounts/{accountId}/resume', { params });
    changed();
  };
  return (
    <>
      <p>
        <b>{each.name}</b> {each.suspended && <span class="state">suspended</span>}
      </p>
      <p>{each.email}</p>
      <p class="faint">
        {each.devices} devices · {each.sentToday} sent today · since {moment(each.createdAt)} ·{' '}
        {each.lastSeenAt ? `last seen ${moment(each.lastSeenAt)}` : 'not seen lately'}
      </p>
      {each.id !== account.value?.id && (
        <div class="actions">
          {each.suspended ? (
            <Act act={resume}>Resume</Act>
          ) : (
            <Act act={suspend} sure={`Suspend ${each.name}? All their credentials are refused.`}>
              Suspend
            </Act>
          )}
        </div>
      )}
    </>
  );
}

function DeadLetters() {
  return (
    <List
      name="dead letters"
      empty="Nothing was given up."
      keyOf={({ id }) => id}
      load={async (cursor?: string) => {
        const params = { query: { cursor } };
        const { deadLetters, nextCursor } = await api.get('/operator/dead-letters', { params });
        return { items: deadLetters, next: nextCursor };
      }}
    >
      {(letter, changed) => {
        const params = { path: { id: letter.id } };
        const retry = async (): Promise<void> => {
          await api.post('/operator/dead-letters/{id}/retry', { params });
          changed();
        };
        const drop = async (): Promise<void> => {
          await api.post('/operator/dead-letters/{id}/drop', { params });
          changed();
        };
        return (
          <>
            <p>
              <b>{letter.queue}</b> {letter.subject}
            </p>
            <p class="faint">
              {letter.reason} · {letter.attempts} attempts · {moment(letter.at)}
            </p>
            <div class="actions">
              <Act act={retry}>Retry</Act>
              <Act act={drop} sure={`Drop ${letter.subject} for good?`}>
                Drop
              </Act>
            </div>
          </>
        );
      }}
    </List>
  );
}

function State() {
  const loaded = useLoaded('health', async () => api.get('/operator/health'));
  return (
    <>
      <Shown of={loaded}>{(health) => <Tables health={health} />}</Shown>
      <button type="button" onClick={loaded.reload}>
        Look again
      </button>
    </>
  );
}

const Tables = ({ health }: { health: Health }) => (
  <>
    <Table
      name="Services"
      heads={['Service', 'Replicas', 'Ready']}
      rows={health.services.map(({ name, replicas, ready }) => [name, replicas, ready])}
    />
    <Table
      name="Push providers"
      heads={['Provider', 'Accepted', 'Refused', 'Waiting']}
      rows={health.transports.map(({ name, accepted, refused, queued }) => [name, accepted, refused, queued])}
    />
    <details>
      <summary>Projections</summary>
      <Table
        name="Projections"
        heads={['Projection', 'Events behind', 'Seconds behind']}
        rows={health.projections.map(({ name, behindEvents, behindSeconds }) => [
          name,
          behindEvents ?? 'not known',
          behindSeconds ?? 'not known',
        ])}
      />
    </details>
  </>
);

interface TableProps {
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

const Table = ({ name, heads, rows }: TableProps) => (
  <table class="figures">
    <caption>{name}</caption>
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([first, ...others]) => (
        <tr key={String(first)}>
          <th scope="row">{first}</th>
          {others.map((cell, index) => (
            <td key={heads[index + 1]}>{cell}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
