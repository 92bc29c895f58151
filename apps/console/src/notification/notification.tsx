import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { later } from '../frame/later';
import { markRead } from '../inbox/items';
import { Page } from '../parts/page';
import { Problem, Shown } from '../parts/state';
import { Outward } from '../parts/outward';
import { moment } from '../parts/time';

type Detail = SessionSchemas['schemas']['InboxNotificationDetail'];

const Markdown = later(() => import('../markdown/markdown'));

/** The inbox names an item by its kind and id; the link of a push has the id alone. */
const itemId = (id: string): string =>
  id.includes(':') ? id : `${id.startsWith('evt_') ? 'event' : 'notification'}:${id}`;

export default function Notification({ id: given }: { id: string }) {
  const id = itemId(given);
  const loaded = useLoaded(id, () => api.get('/inbox/notifications/{id}', { params: { path: { id } } }));
  return (
    <Page title={loaded.data?.title ?? 'Notification'}>
      <Shown of={loaded}>{(item) => <Opened {...item} />}</Shown>
    </Page>
  );
}

function Opened({ id, readAt, ...item }: Detail) {
  const isRead = useSignal(readAt !== null);
  const failure = useSignal<unknown>(undefined);
  const set = (wanted: boolean): void => {
    markRead(id, wanted)
      .then(() => {
        isRead.value = wanted;
        failure.value = undefined;
      })
      .catch((error: unknown) => (failure.value = error));
  };
  useEffect(() => {
    if (readAt === null) set(true);
  }, [id]);
  return (
    <article>
      <p class="faint">
        {item.sourceName}
        {item.projectName && ` · ${item.projectName}`} · {moment(item.createdAt)}
      </p>
      {item.bodyFormat === 'markdown' ? <Markdown text={item.body} /> : <p class="text">{item.body}</p>}
      {item.url && (
        <p>
          <Outward url={item.url} />
        </p>
      )}
      {failure.value !== undefined && <Problem error={failure.value} />}
      <div class="actions">
        <button type="button" onClick={() => set(!isRead.value)}>
          {isRead.value ? 'Mark as unread' : 'Mark as read'}
        </button>
      </div>
      {item.pushReceipts && item.pushReceipts.length > 0 && <Receipts receipts={item.pushReceipts} />}
    </article>
  );
}

const outcomes: Readonly<Record<string, string>> = {
  pending: 'being sent',
  accepted: 'accepted by the push provider',
  error: 'refused by the push provider',
  unknown: 'not known',
};

function Receipts({ receipts }: { receipts: NonNullable<Detail['pushReceipts']> }) {
  const devices = useLoaded('devices', () => api.get('/devices', { params: { query: { limit: 100 } } }));
  const nameOf = (id: string): string =>
    devices.data?.devices.find((device) => device.id === id)?.deviceName ?? 'A device';
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts">Delivery</h2>
      <ul class="plain">
        {receipts.map(({ id, deviceId, status, errorCode, checkedAt }) => (
          <li key={id}>
            {nameOf(deviceId)}: {outcomes[status]}
            {errorCode && ` (${errorCode})`}
            {checkedAt && `, ${moment(checkedAt)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
