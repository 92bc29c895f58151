import type { SessionSchemas } from '@carillon/client';
import { api } from '../api/api';
import { Act } from '../parts/act';
import { List } from '../parts/more';
import { moment } from '../parts/time';

type Grant = SessionSchemas['schemas']['OAuthGrant'];

/** The OAuth clients that the person has given access. */
export const Grants = () => (
  <section aria-labelledby="grants">
    <h2 id="grants">Connected clients</h2>
    <List
      name="grants"
      empty="No client has asked for access yet."
      keyOf={({ id }) => id}
      load={async () => ({ items: (await api.get('/grants')).grants, next: null })}
    >
      {(grant, changed) => <Granted grant={grant} changed={changed} />}
    </List>
  </section>
);

function Granted({ grant, changed }: { grant: Grant; changed: () => void }) {
  const { id, clientName, clientHost, resource, scopes, createdAt, lastUsedAt } = grant;
  const end = async (): Promise<void> => {
    await api.delete('/grants/{id}', { params: { path: { id } } });
    changed();
  };
  return (
    <>
      <p>
        <b>{clientName}</b> {clientHost}
      </p>
      <p class="faint">
        {scopes.join(', ')} · at {resource} · since {moment(createdAt)} ·{' '}
        {lastUsedAt ? `last used ${moment(lastUsedAt)}` : 'never used'}
      </p>
      <Act act={end} sure={`End the access of “${clientName}”? It stops working at once.`}>
        Revoke
      </Act>
    </>
  );
}
