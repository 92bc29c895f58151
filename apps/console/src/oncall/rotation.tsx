import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Field, Form, textOf } from '../parts/form';
import { Shown } from '../parts/state';

type Schemas = SessionSchemas['schemas'];
type Group = Schemas['OncallGroup'];
type Summary = Schemas['OncallSimulation']['summary'];

interface RotationProps {
  readonly group: Group;
  readonly changed: () => void;
}

/** Loaded when somebody looks. Only an owner or admin of the team can save it. */
export function Rotation({ group, changed }: RotationProps) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Change the rotation</summary>
      {isOpen.value && <Change group={group} changed={changed} />}
    </details>
  );
}

/** Saves only what was previewed. */
function Change({ group, changed }: RotationProps) {
  const team = useLoaded(group.teamId, () =>
    api.get('/teams/{id}', { params: { path: { id: group.teamId } } }),
  );
  const preview = useSignal<Summary | undefined>(undefined);
  const params = { path: { groupId: group.id } };
  const { rotation } = group;
  const send = async (form: FormData): Promise<void> => {
    const body = { rotation: wantedBy(form) };
    if (preview.value) {
      await api.patch('/oncall/{groupId}', { params, body });
      preview.value = undefined;
      changed();
    } else preview.value = (await api.post('/oncall/{groupId}/simulate', { params, body })).summary;
  };
  const turns = new Map(rotation.members.map(({ userId }, turn) => [userId, turn + 1]));
  const edited = (): void => void (preview.value = undefined);
  return (
    <Shown of={team}>
      {({ members }) => (
        <Form
          key={group.updatedAt}
          label="Change the rotation"
          submit={preview.value ? 'Save the rotation' : 'Preview'}
          send={send}
        >
          <fieldset>
            <legend>Turns: 1 is the first, empty is never on call</legend>
            {members.map(({ userId, name }) => (
              <Field
                key={userId}
                label={name}
                name={`turn ${userId}`}
                type="number"
                value={String(turns.get(userId) ?? '')}
                onInput={edited}
              />
            ))}
          </fieldset>
          <Field
            label="They take turns"
            name="period"
            value={rotation.period}
            onInput={edited}
            options={[
              ['daily', 'Every day'],
              ['weekly', 'Every week'],
            ]}
          />
          <Field
            label="Hand over at"
            name="handoffAt"
            type="time"
            value={rotation.handoffAt}
            onInput={edited}
          />
          <Field label="Time zone" name="timezone" value={rotation.timezone} onInput={edited} />
          {preview.value && <p role="status">{sentenceOf(preview.value)}</p>}
        </Form>
      )}
    </Shown>
  );
}

/** The people by their turns; where two have the same one, as they are listed. */
const wantedBy = (form: FormData) => ({
  userIds: [...form.keys()]
    .filter((name) => name.startsWith('turn ') && textOf(form, name) !== '')
    .sort((a, b) => Number(textOf(form, a)) - Number(textOf(form, b)))
    .map((name) => name.slice('turn '.length)),
  period: textOf(form, 'period') === 'daily' ? ('daily' as const) : ('weekly' as const),
  handoffAt: textOf(form, 'handoffAt'),
  timezone: textOf(form, 'timezone').trim(),
});

const sentenceOf = ({ pageCount, changedCount, laterCount, unrungCount }: Summary): string =>
  pageCount === 0
    ? 'There was no page in the last 90 days to compare with.'
    : `Of ${pageCount} pages in the last 90 days, ${changedCount} would have gone to others or at other times: ` +
      `${laterCount} later, ${unrungCount} to no phone.`;
