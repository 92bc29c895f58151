import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Secret } from '../parts/secret';
import { moment } from '../parts/time';

type Connector = SessionSchemas['schemas']['Connector'];

export default function Connectors() {
  const secret = useSignal<string | undefined>(undefined);
  const version = useSignal(0);
  const register = async (form: FormData): Promise<void> => {
    const body = {
      name: textOf(form, 'name'),
      tunnelId: textOf(form, 'tunnelId'),
      hostname: textOf(form, 'hostname'),
    };
    secret.value = (await api.post('/connectors', { body })).callbackSecret;
    version.value += 1;
  };
  return (
    <Page title="Connectors">
      <p class="faint">Ways to private services, by the program carillon connector-gateway beside them.</p>
      {secret.value !== undefined && (
        <Secret label="The callback secret" value={secret.value} hide={() => (secret.value = undefined)} />
      )}
      <List
        name={`connectors ${version.value}`}
        empty="No connector yet."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const { connectors, nextCursor } = await api.get('/connectors', { params: { query: { cursor } } });
          return { items: connectors, next: nextCursor };
        }}
      >
        {(connector, changed) => (
          <ConnectorRow connector={connector} changed={changed} tell={(given) => (secret.value = given)} />
        )}
      </List>
      <section aria-labelledby="new-connector">
        <h2 id="new-connector">New connector</h2>
        <Form key={version.value} label="New connector" submit="Register" send={register}>
          <Field label="Name" name="name" />
          <Field label="Id of the tunnel" name="tunnelId" />
          <Field label="Host name" name="hostname" />
        </Form>
      </section>
    </Page>
  );
}

interface ConnectorRowProps {
  readonly connector: Connector;
  readonly changed: () => void;
  readonly tell: (secret: string) => void;
}

function ConnectorRow({ connector, changed, tell }: ConnectorRowProps) {
  const params = { path: { id: connector.id } };
  const turn = async (): Promise<void> => {
    await api.patch('/connectors/{id}', { params, body: { enabled: !connector.enabled } });
    changed();
  };
  const rotate = async (): Promise<void> => {
    tell((await api.post('/connectors/{id}/rotate-secret', { params, body: {} })).callbackSecret);
  };
  const remove = async (): Promise<void> => {
    await api.delete('/connectors/{id}', { params });
    changed();
  };
  return (
    <>
      <p>
        <b>{connector.name}</b> <span class="state">{connector.enabled ? connector.status : 'off'}</span>
      </p>
      <p class="faint">
        {connector.hostname}
        {connector.lastSeenAt ? ` · last seen ${moment(connector.lastSeenAt)}` : ' · never seen'}
        {connector.agentVersion && ` · version ${connector.agentVersion}`}
      </p>
      {connector.routes.length > 0 && (
        <ul>
          {connector.routes.map(({ name, url, enabled }) => (
            <li key={name}>
              {name}: {url} {enabled === false && '(off)'}
            </li>
          ))}
        </ul>
      )}
      <div class="actions">
        <Act act={turn}>{connector.enabled ? 'Turn off' : 'Turn on'}</Act>
        <Act act={rotate} sure={`Give “${connector.name}” a new callback secret?`}>
          New secret
        </Act>
        <Act act={remove} sure={`Delete “${connector.name}”?`}>
          Delete
        </Act>
      </div>
    </>
  );
}
