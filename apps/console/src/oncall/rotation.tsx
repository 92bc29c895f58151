import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Field, textOf } from '../parts/form';
import { Shown } from '../parts/state';
import { type Preview, PreviewedForm } from './preview';

type Schemas = SessionSchemas['schemas'];
type Group = Schemas['OncallGroup'];

interface RotationProps {
  readonly group: Group;
  readonly preview: Preview;
  readonly changed: () => void;
}

/** Loaded when somebody looks. Only an owner or admin of the team can save it. */
export function Rotation(props: RotationProps) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Change the rotation</summary>
      {isOpen.value && <Change {...props} />}
    </details>
  );
}

function Change({ group, preview, changed }: RotationProps) {
  const team = useLoaded(group.teamId, () =>
    api.get('/teams/{id}', { params: { path: { id: group.teamId } } }),
  );
  const { rotation } = group;
  const save = async ({ rotation: wanted }: Schemas['SimulateOncall']): Promise<void> => {
    const params = { path: { groupId: group.id } };
    await api.patch('/oncall/{groupId}', { params, body: { rotation: wanted } });
    changed();
  };
  const changeOf = (form: FormData) => ({ rotation: wantedBy(form) });
  const turns = new Map(rotation.members.map(({ userId }, turn) => [userId, turn + 1]));
  return (
    <Shown of={team}>
      {({ members }) => (
        <PreviewedForm
          key={group.updatedAt}
          kind="rotation"
          label="Change the rotation"
          submit="Save the rotation"
          {...{ preview, changeOf, save }}
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
              />
            ))}
          </fieldset>
          <Field
            label="They take turns"
            name="period"
            value={rotation.period}
            options={[
              ['daily', 'Every day'],
              ['weekly', 'Every week'],
            ]}
          />
          <Field label="Hand over at" name="handoffAt" type="time" value={rotation.handoffAt} />
          <Field label="Time zone" name="timezone" value={rotation.timezone} />
        </PreviewedForm>
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
