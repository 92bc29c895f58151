import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { Act } from '../parts/act';
import { Field, Form, momentOf, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Secret } from '../parts/secret';
import { moment } from '../parts/time';

type ReplyWebhook = SessionSchemas['schemas']['ReplyWebhook'];
type Delivery = SessionSchemas['schemas']['ReplyWebhookDelivery'];

export default function Webhooks() {
  const secret = useSignal<string | undefined>(undefined);
  const version = useSignal(0);
  const create = async (form: FormData): Promise<void> => {
    const body = { name: textOf(form, 'name'), url: textOf(form, 'url') };
    const made = await api.post('/webhooks', { body });
    secret.value = made.signingSecret;
    version.value += 1;
  };
  return (
    <Page title="Reply webhooks">
      <p class="faint">Addresses that are told how a question ended.</p>
      {secret.value !== undefined && (
        <Secret label="The signing secret" value={secret.value} hide={() => (secret.value = undefined)} />
      )}
      <List
        name={`webhooks ${version.value}`}
        empty="No reply webhook yet."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const { webhooks, nextCursor } = await api.get('/webhooks', { params: { query: { cursor } } });
          return { items: webhooks, next: nextCursor };
        }}
      >
        {(webhook, changed) => (
          <Webhook webhook={webhook} changed={changed} tell={(given) => (secret.value = given)} />
        )}
      </List>
      <section aria-labelledby="new-webhook">
        <h2 id="new-webhook">New reply webhook</h2>
        <Form key={version.value} label="New reply webhook" submit="Create" send={create}>
          <Field label="Name" name="name" />
          <Field label="Address" name="url" type="url" hint="With https. It gets signed requests." />
        </Form>
      </section>
    </Page>
  );
}

interface WebhookProps {
  readonly webhook: ReplyWebhook;
  readonly changed: () => void;
  readonly tell: (secret: string) => void;
}

function Webhook({ webhook, changed, tell }: WebhookProps) {
  const isOpen = useSignal(false);
  const version = useSignal(0);
  const params = { path: { id: webhook.id } };
  const rotate = async (): Promise<void> => {
    tell((await api.post('/webhooks/{id}/rotate-secret', { params, body: {} })).signingSecret);
  };
  const turn = async (): Promise<void> => {
    await api.patch('/webhooks/{id}', { params, body: { enabled: !webhook.enabled } });
    changed();
  };
  const test = async (): Promise<void> => {
    await api.post('/webhooks/{id}/test', { params, body: {} });
    version.value += 1;
  };
  const remove = async (): Promise<void> => {
    await api.delete('/webhooks/{id}', { params });
    changed();
  };
  return (
    <>
      <p>
        <b>{webhook.name}</b> {!webhook.enabled && <span class="state">off</span>}
        {webhook.isDefault && <span class="state">for every question</span>}
      </p>
      <p class="faint">{webhook.url}</p>
      <div class="actions">
        <Act act={test}>Send a test</Act>
        <Act act={turn}>{webhook.enabled ? 'Turn off' : 'Turn on'}</Act>
        <Act
          act={rotate}
          sure={`Give “${webhook.name}” a new signing secret? The present one is good for a while.`}
        >
          New secret
        </Act>
        <Act act={remove} sure={`Delete “${webhook.name}”?`}>
          Delete
        </Act>
      </div>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>Deliveries</summary>
        {isOpen.value && (
          <List
            name={`${webhook.id} ${version.value}`}
            empty="Nothing was delivered yet."
            keyOf={({ id }) => id}
            load={async (cursor?: string) => {
              const query = { cursor };
              const answer = await api.get('/webhooks/{id}', { params: { ...params, query } });
              return { items: answer.deliveries, next: answer.nextCursor };
            }}
          >
            {(delivery, reload) => <Delivered webhookId={webhook.id} delivery={delivery} changed={reload} />}
          </List>
        )}
        {isOpen.value && <Recover id={webhook.id} changed={() => (version.value += 1)} />}
      </details>
    </>
  );
}

/** Sends again what did not arrive while the address was away. */
function Recover({ id, changed }: { id: string; changed: () => void }) {
  const said = useSignal<string | undefined>(undefined);
  const recover = async (form: FormData): Promise<void> => {
    const body = { since: momentOf(textOf(form, 'since')) };
    const { recovered, more } = await api.post('/webhooks/{id}/recover', { params: { path: { id } }, body });
    said.value = `${recovered} sent again${more ? ', and there are more' : ''}.`;
    changed();
  };
  return (
    <Form label="Send again what failed" submit="Send all of them again" send={recover}>
      <Field label="What failed or was canceled since" name="since" type="datetime-local" />
      {said.value !== undefined && <p role="status">{said.value}</p>}
    </Form>
  );
}

interface DeliveredProps {
  readonly webhookId: string;
  readonly delivery: Delivery;
  readonly changed: () => void;
}

function Delivered({ webhookId, delivery, changed }: DeliveredProps) {
  const resend = async (): Promise<void> => {
    const path = { id: webhookId, deliveryId: delivery.id };
    await api.post('/webhooks/{id}/deliveries/{deliveryId}/resend', { params: { path } });
    changed();
  };
  const isOver = ['delivered', 'failed', 'canceled'].includes(delivery.status);
  return (
    <>
      <p>
        {delivery.test ? 'Test' : delivery.type} <span class="state">{delivery.status}</span>{' '}
        {moment(delivery.createdAt)}
        {delivery.nextAttemptAt && ` · next attempt ${moment(delivery.nextAttemptAt)}`}
      </p>
      <ol class="faint">
        {delivery.attemptLog.map(({ attempt, attemptedAt, responseCode, error, latencyMs }) => (
          <li key={attempt}>
            {moment(attemptedAt)}: {responseCode ?? error ?? 'no answer'}, {latencyMs} ms
          </li>
        ))}
      </ol>
      {isOver && !delivery.test && <Act act={resend}>Send again</Act>}
    </>
  );
}
