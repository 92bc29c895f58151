import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Secret } from '../parts/secret';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';

type AgentService = SessionSchemas['schemas']['AgentService'];

const presets = [
  ['plain', 'Plain text or JSON'],
  ['auto', 'Found out from the payload'],
  ['alertmanager', 'Alertmanager'],
  ['grafana', 'Grafana'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['sentry', 'Sentry'],
  ['stripe', 'Stripe'],
  ['uptime-kuma', 'Uptime Kuma'],
  ['healthchecks', 'Healthchecks'],
  ['gatus', 'Gatus'],
] as const;
type Preset = (typeof presets)[number][0];
const presetOf = (name: string): Preset => presets.find(([each]) => each === name)?.[0] ?? 'plain';

export default function Services() {
  const url = useSignal<string | undefined>(undefined);
  const version = useSignal(0);
  const create = async (form: FormData): Promise<void> => {
    const body = { title: textOf(form, 'title'), preset: presetOf(textOf(form, 'preset')) };
    const made = await api.post('/services', { body });
    url.value = made.webhookUrl;
    version.value += 1;
  };
  return (
    <Page title="Services">
      <p class="faint">A service is a URL for a tool that can send HTTP. Whoever has the URL can ring you.</p>
      {url.value !== undefined && (
        <Secret label="The URL of the service" value={url.value} hide={() => (url.value = undefined)} />
      )}
      <List
        name={`services ${version.value}`}
        empty="No service yet."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const { services, nextCursor } = await api.get('/services', { params: { query: { cursor } } });
          return { items: services, next: nextCursor };
        }}
      >
        {(service, changed) => (
          <Service service={service} changed={changed} tell={(given) => (url.value = given)} />
        )}
      </List>
      <section aria-labelledby="new-service">
        <h2 id="new-service">New service</h2>
        <Form key={version.value} label="New service" submit="Create" send={create}>
          <Field label="Title" name="title" />
          <Field label="Its payloads come from" name="preset" options={presets} />
        </Form>
      </section>
    </Page>
  );
}

interface ServiceProps {
  readonly service: AgentService;
  readonly changed: () => void;
  readonly tell: (url: string) => void;
}

function Service({ service, changed, tell }: ServiceProps) {
  const params = { path: { id: service.id } };
  const rotate = async (): Promise<void> =>
    tell((await api.post('/services/{id}/rotate', { params })).webhookUrl);
  const remove = async (): Promise<void> => {
    await api.delete('/services/{id}', { params });
    changed();
  };
  return (
    <>
      <p>
        <b>{service.title}</b>
        <span class="faint">
          {' '}
          · {presets.find(([name]) => name === service.preset)?.[1] ?? service.preset} · since{' '}
          {moment(service.createdAt)}
        </span>
      </p>
      <div class="actions">
        <Act act={rotate} sure={`Give “${service.title}” a new URL? The present one ends at once.`}>
          New URL
        </Act>
        <Act act={remove} sure={`Delete “${service.title}”?`}>
          Delete
        </Act>
      </div>
      <Sharing service={service} changed={changed} />
      <Payloads id={service.id} />
    </>
  );
}

/** Who has what comes in: a family of the account, or nobody else. Loaded when somebody looks. */
function Sharing({ service, changed }: { service: AgentService; changed: () => void }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{service.familyId === null ? 'Share it' : 'Shared with the family'}</summary>
      {isOpen.value && <Families service={service} changed={changed} />}
    </details>
  );
}

function Families({ service, changed }: { service: AgentService; changed: () => void }) {
  const families = useLoaded('families', async () => {
    const { teams } = await api.get('/teams', { params: { query: { limit: 100 } } });
    return teams.filter(({ kind }) => kind === 'family');
  });
  const share = async (familyId: string | null): Promise<void> => {
    await api.post('/services/{id}/share', { params: { path: { id: service.id } }, body: { familyId } });
    changed();
  };
  return (
    <Shown of={families}>
      {(all) => (
        <>
          {all.length === 0 && <Empty>You are in no family.</Empty>}
          <div class="actions">
            {all.map(({ id, name }) =>
              id === service.familyId ? (
                <Act key={id} act={() => share(null)}>
                  Stop sharing with {name}
                </Act>
              ) : (
                <Act
                  key={id}
                  act={() => share(id)}
                  sure={`Give everybody in ${name} what comes in from now on?`}
                >
                  Share with {name}
                </Act>
              ),
            )}
          </div>
        </>
      )}
    </Shown>
  );
}

/** What came last, and what was made of it; loaded when somebody looks. */
function Payloads({ id }: { id: string }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Last payloads</summary>
      {isOpen.value && (
        <List
          name={id}
          empty="Nothing came yet."
          keyOf={({ receivedAt, bytes }) => `${receivedAt} ${bytes}`}
          load={async () => {
            const answer = await api.get('/services/{id}/payloads', { params: { path: { id } } });
            return { items: answer.payloads, next: null };
          }}
        >
          {(payload) => (
            <>
              <p>
                {moment(payload.receivedAt)}: {payload.outcome}
                {payload.error && `, ${payload.error}`}
                {payload.events.map(({ title }) => title && ` · ${title}`)}
              </p>
              <pre tabIndex={0}>{payload.body}</pre>
            </>
          )}
        </List>
      )}
    </details>
  );
}
