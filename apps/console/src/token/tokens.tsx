import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { Grants } from '../grant/grants';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Secret } from '../parts/secret';
import { moment } from '../parts/time';
import { useRecentSignIn } from '../session/again';
import { chosenIn, Scopes } from '../scope/scopes';

type ApiToken = SessionSchemas['schemas']['ApiToken'];
type Scope = SessionSchemas['schemas']['Scope'];

/** In the order of what most agents need. */
const scopes: readonly Scope[] = [
  ...(['notifications:send', 'interactions:create', 'interactions:read', 'activities:write'] as const),
  ...(['activities:read', 'devices:read', 'devices:write', 'services:read', 'services:write'] as const),
  ...(['events:read', 'inbox:read', 'inbox:write', 'apps:read', 'apps:write'] as const),
  ...(['teams:read', 'teams:write', 'oncall:read', 'oncall:write'] as const),
  ...(['connectors:read', 'connectors:write', 'tokens:manage', 'billing:read'] as const),
];
const usual: readonly Scope[] = ['notifications:send', 'interactions:create', 'interactions:read'];

export default function Tokens() {
  const secret = useSignal<string | undefined>(undefined);
  const version = useSignal(0);
  const { recently, again } = useRecentSignIn();
  const create = (form: FormData): Promise<void> =>
    recently(async () => {
      const body = { name: textOf(form, 'name'), scopes: chosenIn(form, scopes) };
      const made = await api.post('/tokens', { body });
      secret.value = made.secret;
      version.value += 1;
    });
  return (
    <Page title="Tokens">
      <p class="faint">A token lets a script or an agent do what its scopes say, in your name.</p>
      {secret.value !== undefined && (
        <Secret label="The token" value={secret.value} hide={() => (secret.value = undefined)} />
      )}
      <List
        name={`tokens ${version.value}`}
        empty="No token yet."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const { tokens, nextCursor } = await api.get('/tokens', {
            params: { query: { cursor, kind: 'token' } },
          });
          return { items: tokens, next: nextCursor };
        }}
      >
        {(token, changed) => <Token token={token} changed={changed} />}
      </List>
      <Grants />
      <section aria-labelledby="new-token">
        <h2 id="new-token">New token</h2>
        {again}
        <Form key={version.value} label="New token" submit="Create" send={create}>
          <Field label="Name" name="name" />
          <Scopes scopes={scopes} isPreselected={(scope) => usual.includes(scope)} />
        </Form>
      </section>
    </Page>
  );
}

function Token({ token, changed }: { token: ApiToken; changed: () => void }) {
  const revoke = async (): Promise<void> => {
    await api.delete('/tokens/{id}', { params: { path: { id: token.id } } });
    changed();
  };
  const used = token.lastUsedAt ? `last used ${moment(token.lastUsedAt)}` : 'never used';
  return (
    <>
      <p>
        <b>{token.name}</b> <code>{token.prefix}…</code>
      </p>
      <p class="faint">
        {token.scopes.join(', ')} · {used}
        {token.expiresAt && ` · until ${moment(token.expiresAt)}`}
        {token.revokedAt && ` · revoked ${moment(token.revokedAt)}`}
      </p>
      {token.revokedAt === null && (
        <Act act={revoke} sure={`Revoke “${token.name}”? What uses it stops working at once.`}>
          Revoke
        </Act>
      )}
    </>
  );
}
