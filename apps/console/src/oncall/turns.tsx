import type { SessionSchemas } from '@carillon/client';
import { Field, Issue, textOf } from '../parts/form';
import { zoneHere } from './days';

type Schemas = SessionSchemas['schemas'];

interface TurnsProps {
  readonly members: readonly Schemas['TeamMember'][];
  /** What is changed; absent for a new group. */
  readonly rotation?: Schemas['OncallGroup']['rotation'];
}

/** The fields of a rotation: who takes turns, and when they hand over. */
export function Turns({ members, rotation }: TurnsProps) {
  const turns = new Map(rotation?.members.map(({ userId }, turn) => [userId, turn + 1]));
  return (
    <>
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
      <Issue of="rotation.userIds" />
      <Field
        label="They take turns"
        name="rotation.period"
        value={rotation?.period ?? 'weekly'}
        options={[
          ['daily', 'Every day'],
          ['weekly', 'Every week'],
        ]}
      />
      <Field
        label="Hand over at"
        name="rotation.handoffAt"
        type="time"
        value={rotation?.handoffAt ?? '09:00'}
      />
      <Field label="Time zone" name="rotation.timezone" value={rotation?.timezone ?? zoneHere} />
    </>
  );
}

/** The rotation of the form; people by their turns, and where two have the same one, as they are listed. */
export const rotationOf = (form: FormData) => ({
  userIds: [...form.keys()]
    .filter((name) => name.startsWith('turn ') && textOf(form, name) !== '')
    .sort((a, b) => Number(textOf(form, a)) - Number(textOf(form, b)))
    .map((name) => name.slice('turn '.length)),
  period: textOf(form, 'rotation.period') === 'daily' ? ('daily' as const) : ('weekly' as const),
  handoffAt: textOf(form, 'rotation.handoffAt'),
  timezone: textOf(form, 'rotation.timezone').trim(),
});
