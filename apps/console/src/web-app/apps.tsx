import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Outward } from '../parts/outward';
import { Page } from '../parts/page';
import { moment } from '../parts/time';

type WebApp = SessionSchemas['schemas']['App'];

export default function Apps() {
  const version = useSignal(0);
  const add = async (form: FormData): Promise<void> => {
    await api.post('/apps', { body: { name: textOf(form, 'name'), url: textOf(form, 'url') } });
    version.value += 1;
  };
  return (
    <Page title="Apps">
      <p class="faint">
        Pages of your own that notifications open, and that may learn who you are when you agree.
      </p>
      <List
        name={`apps ${version.value}`}
        empty="No app yet."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const { apps, nextCursor } = await api.get('/apps', { params: { query: { cursor } } });
          return { items: apps, next: nextCursor };
        }}
      >
        {(app, changed) => <WebAppRow app={app} changed={changed} />}
      </List>
      <section aria-labelledby="new-app">
        <h2 id="new-app">New app</h2>
        <Form key={version.value} label="New app" submit="Add" send={add}>
          <Field label="Name" name="name" />
          <Field label="Address" name="url" type="url" hint="With https." />
        </Form>
      </section>
    </Page>
  );
}

function WebAppRow({ app, changed }: { app: WebApp; changed: () => void }) {
  const params = { path: { id: app.id } };
  const consent = async (form: FormData): Promise<void> => {
    const body = { shareName: form.has('shareName'), shareEmail: form.has('shareEmail') };
    if (app.consentedAt) await api.patch('/apps/{id}/disclosure', { params, body });
    else await api.post('/apps/{id}/consent', { params, body });
    changed();
  };
  const remove = async (): Promise<void> => {
    await api.delete('/apps/{id}', { params });
    changed();
  };
  const revoke = async (): Promise<void> => {
    await api.post('/apps/{id}/revoke', { params });
    changed();
  };
  return (
    <>
      <p>
        <b>{app.name}</b> {app.team && <span class="state">{app.team.name}</span>}
      </p>
      <p>
        <Outward url={app.url} />
      </p>
      <p class="faint">
        {app.consentedAt
          ? `You agreed ${moment(app.consentedAt)}. It learns ${learned(app)}.`
          : 'You have not agreed that it learns who you are.'}
      </p>
      <details>
        <summary>What it may learn</summary>
        <Form label={`What ${app.name} may learn`} submit={app.consentedAt ? 'Save' : 'Agree'} send={consent}>
          <label class="check">
            <input type="checkbox" name="shareName" defaultChecked={app.shareName} /> My name
          </label>
          <label class="check">
            <input type="checkbox" name="shareEmail" defaultChecked={app.shareEmail} /> My e-mail address
          </label>
        </Form>
      </details>
      {app.consentedAt && <Ways app={app} />}
      <div class="actions">
        {app.consentedAt && <Act act={revoke}>Take the consent back</Act>}
        <Act act={remove} sure={`Delete “${app.name}”?`}>
          Delete
        </Act>
      </div>
    </>
  );
}

/** The routes that lead to an app, of a connector at its address. Loaded when somebody looks. */
function Ways({ app: { id, name, url: address } }: { app: WebApp }) {
  const isOpen = useSignal(false);
  const open = async (connectorId: string, route: string): Promise<void> => {
    const body = { connectorId, route };
    const { url } = await api.post('/apps/{id}/passes', { params: { path: { id } }, body });
    location.assign(url);
  };
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Open {name} through a connector</summary>
      {isOpen.value && (
        <List
          name={`ways ${id}`}
          empty="No route of a connector leads to it."
          keyOf={({ connector, route }) => `${connector.id} ${route}`}
          load={async (cursor?: string) => {
            const { connectors, nextCursor } = await api.get('/connectors', {
              params: { query: { cursor } },
            });
            const own = connectors.filter(({ hostname }) => hostname === new URL(address).host);
            const items = own.flatMap((connector) =>
              connector.routes
                .filter((route) => route.appId === id && route.enabled !== false)
                .map((route) => ({ connector, route: route.name })),
            );
            return { items, next: nextCursor };
          }}
        >
          {({ connector, route }) => (
            <Act act={() => open(connector.id, route)}>
              Open by {route} of {connector.name}
            </Act>
          )}
        </List>
      )}
    </details>
  );
}

function learned({ shareName, shareEmail }: WebApp): string {
  const what = [...(shareName ? ['your name'] : []), ...(shareEmail ? ['your e-mail address'] : [])];
  return what.length > 0 ? what.join(' and ') : 'only that you are the same person as before';
}
