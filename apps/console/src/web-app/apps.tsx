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
    await api.post('/apps/{id}/consent', { params, body });
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
        <Form label={`What ${app.name} may learn`} submit="Agree" send={consent}>
          <label class="check">
            <input type="checkbox" name="shareName" defaultChecked={app.shareName} /> My name
          </label>
          <label class="check">
            <input type="checkbox" name="shareEmail" defaultChecked={app.shareEmail} /> My e-mail address
          </label>
        </Form>
      </details>
      <div class="actions">
        {app.consentedAt && <Act act={revoke}>Take the consent back</Act>}
        <Act act={remove} sure={`Delete “${app.name}”?`}>
          Delete
        </Act>
      </div>
    </>
  );
}

function learned({ shareName, shareEmail }: WebApp): string {
  const what = [...(shareName ? ['your name'] : []), ...(shareEmail ? ['your e-mail address'] : [])];
  return what.length > 0 ? what.join(' and ') : 'only that you are the same person as before';
}
