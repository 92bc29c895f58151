import type { SessionSchemas } from '@carillon/client';
import { useEffect } from 'preact/hooks';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';

type Delivery = SessionSchemas['schemas']['PromptDelivery'];

const soonestLookMs = 2_000;
const longestLookMs = 3_600_000;

/** What the reply webhooks were told of the end of a prompt: each delivery with its attempt and answer in a line. */
export function Told({ promptId }: { promptId: string }) {
  const loaded = useLoaded(promptId, async () => {
    const params = { path: { id: promptId } };
    return (await api.get('/prompts/{id}/deliveries', { params })).deliveries;
  });
  useEffect(() => {
    const waiting = loaded.data?.filter(({ status }) => status === 'pending' || status === 'retrying') ?? [];
    if (waiting.length === 0) return;
    const dueMs = Math.min(...waiting.map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '') || 0));
    const inMs = Math.min(longestLookMs, Math.max(soonestLookMs, dueMs - Date.now() + soonestLookMs));
    const timer = setTimeout(loaded.reload, inMs);
    return () => clearTimeout(timer);
  }, [loaded.data]);
  return (
    <section aria-labelledby="told">
      <h2 id="told">Reply webhooks</h2>
      <Shown of={loaded}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty>No reply webhook of yours hears of it.</Empty>
          ) : (
            <ul class="cards">
              {deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <Line {...delivery} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function Line({ webhookName, status, attemptLog, nextAttemptAt }: Delivery) {
  const last = attemptLog.at(-1);
  return (
    <p>
      {webhookName === null ? 'A deleted reply webhook' : <a href="/console/webhooks">{webhookName}</a>}{' '}
      <span class="state">{status}</span>{' '}
      {last
        ? `attempt ${last.attempt}: ${last.responseCode ?? last.error ?? 'no answer'}, ${last.latencyMs} ms, ${moment(last.attemptedAt)}`
        : 'not attempted yet'}
      {nextAttemptAt !== null && ` · next attempt ${moment(nextAttemptAt)}`}
    </p>
  );
}
