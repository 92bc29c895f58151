import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { Field, textOf } from '../parts/form';
import { type Preview, PreviewedForm } from './preview';

type Schemas = SessionSchemas['schemas'];
type Group = Schemas['OncallGroup'];

interface EscalationProps {
  readonly group: Group;
  readonly preview: Preview;
  readonly changed: () => void;
}

const targets = [
  ['next', 'The next one in turn'],
  ['group', 'Everybody of the rotation'],
] as const;
const mostSteps = 10;

/** Whom a page goes to when nobody has acknowledged it. Only an owner or admin of the team can save it. */
export const Escalation = ({ group, preview, changed }: EscalationProps) => (
  <section aria-labelledby="escalation">
    <h2 id="escalation">Escalation</h2>
    <ol>
      {group.escalation.map((step, index) => (
        <li key={index}>{sentenceOf(step)}</li>
      ))}
    </ol>
    {group.escalation.length === 0 && <p class="empty">A page goes to whoever is on call, and no further.</p>}
    <details>
      <summary>Change the escalation</summary>
      <Change key={group.updatedAt} {...{ group, preview, changed }} />
    </details>
  </section>
);

const sentenceOf = ({ afterMinutes, target }: Group['escalation'][number]): string =>
  `After ${afterMinutes} ${afterMinutes === 1 ? 'minute' : 'minutes'}: ` +
  (target === 'next' ? 'the next one in turn.' : 'everybody of the rotation.');

function Change({ group, preview, changed }: EscalationProps) {
  const steps = useSignal(group.escalation.map((step, id) => ({ id, ...step })));
  const turnInto = (next: typeof steps.value): void => {
    preview.clear();
    steps.value = next;
  };
  const add = (): void => {
    const id = Math.max(-1, ...steps.value.map((step) => step.id)) + 1;
    turnInto([...steps.value, { id, afterMinutes: 10, target: 'group' }]);
  };
  const changeOf = (form: FormData) => ({
    escalation: steps.value.map((_, index) => ({
      afterMinutes: Number(textOf(form, `escalation.${index}.afterMinutes`)),
      target: textOf(form, `escalation.${index}.target`) === 'next' ? ('next' as const) : ('group' as const),
    })),
  });
  const save = async ({ escalation }: Schemas['SimulateOncall']): Promise<void> => {
    await api.patch('/oncall/{groupId}', { params: { path: { groupId: group.id } }, body: { escalation } });
    changed();
  };
  return (
    <PreviewedForm
      kind="escalation"
      label="Change the escalation"
      submit="Save the escalation"
      {...{ preview, changeOf, save }}
    >
      {steps.value.map(({ id, afterMinutes, target }, index) => (
        <fieldset key={id}>
          <legend>Step {index + 1}</legend>
          <Field
            label={`Minutes before step ${index + 1}`}
            name={`escalation.${index}.afterMinutes`}
            type="number"
            value={String(afterMinutes)}
          />
          <Field
            label={`Who gets step ${index + 1}`}
            name={`escalation.${index}.target`}
            value={target}
            options={targets}
          />
          <button type="button" onClick={() => turnInto(steps.value.filter((each) => each.id !== id))}>
            Remove step {index + 1}
          </button>
        </fieldset>
      ))}
      {steps.value.length < mostSteps && (
        <button type="button" onClick={add}>
          Add a step
        </button>
      )}
    </PreviewedForm>
  );
}
