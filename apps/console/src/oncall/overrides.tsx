import type { SessionSchemas } from '@carillon/client';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Field, localOf, momentOf, textOf } from '../parts/form';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { account } from '../session/session';
import type { TimeWindow } from './drag';
import { type Preview, PreviewedForm } from './preview';

type Schemas = SessionSchemas['schemas'];
type Group = Schemas['OncallGroup'];

interface OverridesProps {
  readonly group: Group;
  /** What was dragged over, or chosen in the list. */
  readonly picked: TimeWindow | undefined;
  readonly preview: Preview;
  readonly changed: () => void;
}

export function Overrides({ group, picked, preview, changed }: OverridesProps) {
  const { teamId } = group;
  const team = useLoaded(teamId, () => api.get('/teams/{id}', { params: { path: { id: teamId } } }));
  const remove = async (overrideId: string): Promise<void> => {
    const path = { groupId: group.id, overrideId };
    await api.delete('/oncall/{groupId}/overrides/{overrideId}', { params: { path } });
    changed();
  };
  return (
    <section aria-labelledby="overrides">
      <h2 id="overrides">Overrides</h2>
      {group.overrides.length === 0 && <Empty>Nobody stands in for anybody.</Empty>}
      <ul class="cards">
        {group.overrides.map(({ id, person, startsAt, endsAt }) => (
          <li key={id}>
            <p>
              <b>{person.name}</b>, {moment(startsAt)} to {moment(endsAt)}
            </p>
            <Act sure={`Take the override of ${person.name} away?`} act={() => remove(id)}>
              Take away
            </Act>
          </li>
        ))}
      </ul>
      <Shown of={team}>
        {(found) => (
          <NewOverride
            key={group.updatedAt}
            {...{ group, picked, preview, changed }}
            people={thoseFor(found, account.value?.id)}
          />
        )}
      </Shown>
    </section>
  );
}

/** Whom somebody may put on call: a member themselves, an owner or admin anybody. Oneself comes first. */
const thoseFor = (
  { team, members }: { readonly team: Schemas['Team']; readonly members: readonly Schemas['TeamMember'][] },
  self: string | undefined,
): (readonly [value: string, label: string])[] =>
  [...members.filter(({ userId }) => userId === self), ...members.filter(({ userId }) => userId !== self)]
    .filter(({ userId }) => team.role !== 'member' || userId === self)
    .map(({ userId, name }) => [userId, name] as const);

interface NewOverrideProps extends OverridesProps {
  readonly people: readonly (readonly [value: string, label: string])[];
}

function NewOverride({ group, picked, preview, changed, people }: NewOverrideProps) {
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!picked) return;
    const form = here.current?.querySelector('form');
    form?.querySelector('select')?.focus();
    form?.requestSubmit();
  }, [picked]);
  const changeOf = (form: FormData) => ({
    override: {
      userId: textOf(form, 'override.userId'),
      startsAt: momentOf(textOf(form, 'override.startsAt')),
      endsAt: momentOf(textOf(form, 'override.endsAt')),
    },
  });
  const save = async ({ override }: Schemas['SimulateOncall']): Promise<void> => {
    if (!override) return;
    await api.post('/oncall/{groupId}/overrides', {
      params: { path: { groupId: group.id } },
      body: override,
    });
    changed();
  };
  return (
    <div ref={here}>
      <PreviewedForm
        kind="override"
        label="New override"
        submit="Save the override"
        {...{ preview, changeOf, save }}
      >
        <Field label="Who is on call instead" name="override.userId" options={people} />
        <Field
          key={`from ${picked?.startsAt}`}
          label="From"
          name="override.startsAt"
          type="datetime-local"
          value={picked && localOf(picked.startsAt)}
        />
        <Field
          key={`to ${picked?.endsAt}`}
          label="To"
          name="override.endsAt"
          type="datetime-local"
          value={picked && localOf(picked.endsAt)}
        />
      </PreviewedForm>
    </div>
  );
}
