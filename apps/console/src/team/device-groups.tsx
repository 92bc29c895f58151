import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Shown } from '../parts/state';

type Team = SessionSchemas['schemas']['Team'];
type Member = SessionSchemas['schemas']['TeamMember'];
type DeviceGroup = SessionSchemas['schemas']['DeviceGroup'];

interface GroupsProps {
  readonly team: Team;
  readonly members: readonly Member[];
}

/** People and single devices that are reached together. */
export function DeviceGroups({ team, members }: GroupsProps) {
  const version = useSignal(0);
  const path = { id: team.id };
  const mayChange = team.role !== 'member';
  const create = async (form: FormData): Promise<void> => {
    await api.post('/teams/{id}/groups', { params: { path }, body: chosen(form) });
    version.value += 1;
  };
  return (
    <section aria-labelledby="device-groups">
      <h2 id="device-groups">Device groups</h2>
      <List
        name={`${team.id} ${version.value}`}
        empty="No device group."
        keyOf={(group) => group.id}
        load={async (cursor?: string) => {
          const answer = await api.get('/teams/{id}/groups', { params: { path, query: { cursor } } });
          return { items: answer.groups, next: answer.nextCursor };
        }}
      >
        {(group, changed) => (
          <>
            <p>
              <b>{group.name}</b>
              <span class="faint"> · {insideOf(group)}</span>
            </p>
            {mayChange && <Change group={group} members={members} changed={changed} />}
          </>
        )}
      </List>
      {mayChange && (
        <Form key={version.value} label="New device group" submit="Create the group" send={create}>
          <Choices team={team} members={members} />
        </Form>
      )}
    </section>
  );
}

const insideOf = ({ members, devices }: DeviceGroup): string =>
  [
    ...members.map(({ name }) => name),
    ...devices.map(({ deviceName, userName }) => `${deviceName ?? 'a device'} of ${userName}`),
  ].join(', ') || 'nobody';

const chosen = (form: FormData) => ({
  name: textOf(form, 'name'),
  userIds: form.getAll('userIds').map(String),
  deviceIds: form.getAll('deviceIds').map(String),
});

interface ChangeProps {
  readonly group: DeviceGroup;
  readonly members: readonly Member[];
  readonly changed: () => void;
}

/** Loaded when somebody looks. */
function Change({ group, members, changed }: ChangeProps) {
  const isOpen = useSignal(false);
  const params = { path: { id: group.teamId, groupId: group.id } };
  const change = async (form: FormData): Promise<void> => {
    await api.patch('/teams/{id}/groups/{groupId}', { params, body: chosen(form) });
    changed();
  };
  const remove = async (): Promise<void> => {
    await api.delete('/teams/{id}/groups/{groupId}', { params });
    changed();
  };
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Change {group.name}</summary>
      {isOpen.value && (
        <>
          <Form label={`Change ${group.name}`} submit="Save the group" send={change}>
            <Choices team={{ id: group.teamId }} members={members} group={group} />
          </Form>
          <Act act={remove} sure={`Delete the group “${group.name}”?`}>
            Delete the group
          </Act>
        </>
      )}
    </details>
  );
}

interface ChoicesProps {
  readonly team: Pick<Team, 'id'>;
  readonly members: readonly Member[];
  readonly group?: DeviceGroup;
}

function Choices({ team, members, group }: ChoicesProps) {
  const devices = useLoaded(team.id, async () => {
    const params = { path: { id: team.id }, query: { limit: 100 } };
    return (await api.get('/teams/{id}/devices', { params })).devices;
  });
  const people = new Set(group?.members.map(({ userId }) => userId));
  const single = new Set(group?.devices.map(({ id }) => id));
  return (
    <>
      <Field label="Name of the group" name="name" value={group?.name ?? ''} />
      <fieldset>
        <legend>People, with all their devices</legend>
        {members.map(({ userId, name }) => (
          <Choice key={userId} name="userIds" value={userId} isChosen={people.has(userId)}>
            {name}
          </Choice>
        ))}
      </fieldset>
      <Shown of={devices}>
        {(all) =>
          all.length > 0 && (
            <fieldset>
              <legend>Single devices</legend>
              {all.map(({ id, deviceName, userName }) => (
                <Choice key={id} name="deviceIds" value={id} isChosen={single.has(id)}>
                  {`${deviceName ?? 'A device'} of ${userName}`}
                </Choice>
              ))}
            </fieldset>
          )
        }
      </Shown>
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly isChosen: boolean;
  readonly children: string;
}

const Choice = ({ name, value, isChosen, children }: ChoiceProps) => (
  <label class="check">
    <input type="checkbox" name={name} value={value} defaultChecked={isChosen} /> {children}
  </label>
);
