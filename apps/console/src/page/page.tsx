import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Outward } from '../parts/outward';
import { Page } from '../parts/page';
import { Problem, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { onTold } from '../stream/stream';

type OncallPage = SessionSchemas['schemas']['OncallPage'];

export default function PageOfOncall({ id }: { id: string }) {
  const loaded = useLoaded(id, () => api.get('/pages/{id}', { params: { path: { id } } }));
  useEffect(
    () => onTold(({ topic, pageId }) => (topic === 'reset' || pageId === id) && loaded.reload()),
    [id],
  );
  return (
    <Page title={loaded.data?.title ?? 'Page'}>
      <Shown of={loaded}>{(page) => <Opened page={page} set={loaded.set} reload={loaded.reload} />}</Shown>
    </Page>
  );
}

interface OpenedProps {
  readonly page: OncallPage;
  readonly set: (page: OncallPage) => void;
  readonly reload: () => void;
}

function Opened({ page, set, reload }: OpenedProps) {
  const failure = useSignal<unknown>(undefined);
  const act = (verb: 'acknowledge' | 'escalate' | 'resolve'): void => {
    failure.value = undefined;
    const params = { path: { id: page.id } };
    // A second press, or a repetition after a lost answer, must not ring the step after this one.
    const body = verb === 'escalate' ? { escalationStep: page.escalationStep } : {};
    api
      .post(`/pages/{id}/${verb}`, { params, body } as never)
      .then((answer) => set(answer as OncallPage))
      .catch((error: unknown) => {
        failure.value = error;
        reload();
      });
  };
  return (
    <article>
      <p class="faint">
        {page.groupName} · {moment(page.createdAt)}
        {page.repeatCount > 0 && ` · repeated ${page.repeatCount} times`}
      </p>
      <p class="outcome" role="status">
        {statusOf(page)}
      </p>
      {page.body && <p class="text">{page.body}</p>}
      {page.url && (
        <p>
          <Outward url={page.url} />
        </p>
      )}
      {failure.value !== undefined && <Problem error={failure.value} />}
      {page.status !== 'resolved' && (
        <div class="answers">
          {page.status === 'triggered' && (
            <>
              <button type="button" class="primary" onClick={() => act('acknowledge')}>
                Acknowledge
              </button>
              <button type="button" onClick={() => act('escalate')}>
                Escalate
              </button>
            </>
          )}
          <button type="button" onClick={() => act('resolve')}>
            Resolve
          </button>
        </div>
      )}
      <p class="faint">
        {page.notified.length > 0
          ? `Notified: ${page.notified.map(({ name }) => name).join(', ')}.`
          : 'Nobody was notified.'}
        {page.nextEscalationAt && ` Escalates ${moment(page.nextEscalationAt)}.`}
      </p>
    </article>
  );
}

function statusOf({ status, ...page }: OncallPage): string {
  const by = (name: string | undefined, at: string | null): string =>
    `${name === undefined ? '' : ` by ${name}`}${at === null ? '' : `, ${moment(at)}`}`;
  if (status === 'triggered') return 'Triggered: nobody has acknowledged it yet.';
  if (status === 'acknowledged') return `Acknowledged${by(page.acknowledgedBy?.name, page.acknowledgedAt)}`;
  return `Resolved${by(page.resolvedBy?.name, page.resolvedAt)}`;
}
