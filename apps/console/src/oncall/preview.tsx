import type { SessionSchemas } from '@carillon/client';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { api } from '../api/api';
import { Form } from '../parts/form';
import { moment } from '../parts/time';
import { Warnings } from './warnings';

type Schemas = SessionSchemas['schemas'];
type Simulation = Schemas['OncallSimulation'];
type Change = Schemas['SimulateOncall'];
type Kind = 'override' | 'rotation' | 'escalation';

/** A change that is not saved, with what the server says that it would do. */
export interface Pending {
  readonly kind: Kind;
  readonly change: Change;
  readonly simulation: Simulation;
}

/** The one preview of the page: the calendar shows it too. */
export interface Preview {
  readonly pending: Signal<Pending | undefined>;
  /** Takes it away, since a form has changed, and so does a later answer to what the form was before. */
  clear(): void;
  show(kind: Kind, change: Change): Promise<void>;
}

export function usePreview(groupId: string): Preview {
  const pending = useSignal<Pending | undefined>(undefined);
  const edits = useRef(0);
  const clear = (): void => {
    edits.current += 1;
    pending.value = undefined;
  };
  const show = async (kind: Kind, change: Change): Promise<void> => {
    const before = edits.current;
    const params = { path: { groupId } };
    const simulation = await api.post('/oncall/{groupId}/simulate', { params, body: change });
    if (edits.current === before) pending.value = { kind, change, simulation };
  };
  return { pending, clear, show };
}

interface PreviewedFormProps {
  readonly kind: Kind;
  readonly label: string;
  readonly submit: string;
  readonly preview: Preview;
  readonly changeOf: (form: FormData) => Change;
  readonly save: (change: Change) => Promise<void>;
  readonly children: ComponentChildren;
}

/** A form that saves what was previewed, and nothing else. */
export function PreviewedForm({
  kind,
  label,
  submit,
  preview,
  changeOf,
  save,
  children,
}: PreviewedFormProps) {
  const pending = preview.pending.value?.kind === kind ? preview.pending.value : undefined;
  const send = async (form: FormData): Promise<void> => {
    if (!pending) return preview.show(kind, changeOf(form));
    await save(pending.change);
    preview.clear();
  };
  return (
    <div onInput={preview.clear}>
      <Form label={label} submit={pending ? submit : 'Preview'} send={send}>
        {children}
        {pending && <Previewed {...pending} />}
      </Form>
    </div>
  );
}

function Previewed({ kind, simulation: { schedule, summary } }: Pending) {
  return (
    <div role="status">
      {kind === 'override' ? <p>{replacement(schedule)}</p> : <p>{replayed(summary)}</p>}
      {kind === 'rotation' && (
        <ol>
          {schedule.after.map(({ person, startsAt, endsAt }) => (
            <li key={startsAt}>
              {person.name}, {moment(startsAt)} to {moment(endsAt)}
            </li>
          ))}
        </ol>
      )}
      <Warnings of={schedule.warnings} />
    </div>
  );
}

function replacement({ before, after }: Simulation['schedule']): string {
  const [planned] = after.filter(({ override }) => override);
  if (!planned) return 'Nothing changes.';
  const names = [...new Set(before.map(({ person }) => person.name))];
  return (
    `${planned.person.name} is on call from ${moment(planned.startsAt)} to ${moment(planned.endsAt)}, ` +
    `instead of ${names.length > 0 ? names.join(' and ') : 'nobody'}.`
  );
}

const replayed = ({ pageCount, changedCount, laterCount, unrungCount }: Simulation['summary']): string =>
  pageCount === 0
    ? 'There was no page in the last 90 days to compare with.'
    : `Of ${pageCount} pages in the last 90 days, ${changedCount} would have gone to others or at other times: ` +
      `${laterCount} later, ${unrungCount} to no phone.`;
