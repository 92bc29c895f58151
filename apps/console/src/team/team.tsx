import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { NewOncallGroup } from '../oncall/new-group';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Secret } from '../parts/secret';
import { Shown } from '../parts/state';
import { moment } from '../parts/time';
import { DeviceGroups } from './device-groups';
import { Domain } from './domain';

type Team = SessionSchemas['schemas']['Team'];
type Member = SessionSchemas['schemas']['TeamMember'];

export default function TeamPage({ id }: { id: string }) {
  const loaded = useLoaded(id, () => api.get('/teams/{id}', { params: { path: { id } } }));
  return (
    <Page title={loaded.data?.team.name ?? 'Team'}>
      <Shown of={loaded}>
        {({ team, members }) => (
          <>
            <Members team={team} members={members} changed={loaded.reload} />
            <Groups team={team} members={members} />
            <DeviceGroups team={team} members={members} />
            {team.role === 'owner' && team.kind === 'team' && <Domain team={team} changed={loaded.reload} />}
            {team.role !== 'member' && <Invites id={id} />}
            {team.role !== 'member' && <Audit id={id} />}
          </>
        )}
      </Shown>
    </Page>
  );
}

interface MembersProps {
  readonly team: Team;
  readonly members: readonly Member[];
  readonly changed: () => void;
}

function Members({ team, members, changed }: MembersProps) {
  const { route } = useLocation();
  const remove = async (userId: string): Promise<void> => {
    await api.delete('/teams/{id}/members/{userId}', { params: { path: { id: team.id, userId } } });
    changed();
  };
  const leave = async (): Promise<void> => {
    await api.post('/teams/{id}/leave', { params: { path: { id: team.id } } });
    route('/console/teams', true);
  };
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      <ul class="cards">
        {members.map((member) => (
          <li key={member.userId}>
            <p>
              <b>{member.name}</b> <span class="faint">{member.email}</span>
              <span class="state">{member.role}</span>
            </p>
            {team.role === 'owner' && member.role !== 'owner' && (
              <Act act={() => remove(member.userId)} sure={`Take ${member.name} out of ${team.name}?`}>
                Take out
              </Act>
            )}
          </li>
        ))}
      </ul>
      {team.role !== 'owner' && (
        <Act act={leave} sure={`Leave ${team.name}?`}>
          Leave
        </Act>
      )}
    </section>
  );
}

function Groups({ team, members }: Omit<MembersProps, 'changed'>) {
  const { id } = team;
  return (
    <section aria-labelledby="groups">
      <h2 id="groups">On call</h2>
      <List
        name={id}
        empty="No on-call group."
        keyOf={(group) => group.id}
        load={async (cursor?: string) => {
          const answer = await api.get('/teams/{id}/oncall', { params: { path: { id }, query: { cursor } } });
          return { items: answer.groups, next: answer.nextCursor };
        }}
      >
        {(group) => (
          <p>
            <a href={`/console/oncall/${group.id}`}>{group.name}</a>
            <span class="faint"> · {group.current?.person.name ?? 'nobody'} is on call</span>
            {group.openPageCount > 0 && <span class="state waiting">{group.openPageCount} open</span>}
          </p>
        )}
      </List>
      {team.kind === 'team' && team.role !== 'member' && <NewOncallGroup teamId={id} members={members} />}
    </section>
  );
}

function Invites({ id }: { id: string }) {
  const url = useSignal<string | undefined>(undefined);
  const version = useSignal(0);
  const params = { path: { id } };
  const invite = async (form: FormData): Promise<void> => {
    const email = textOf(form, 'email').trim();
    const role = textOf(form, 'role') === 'admin' ? 'admin' : 'member';
    const made = await api.post('/teams/{id}/invites', { params, body: { role, ...(email && { email }) } });
    url.value = made.url;
    version.value += 1;
  };
  return (
    <section aria-labelledby="invites">
      <h2 id="invites">Invites</h2>
      {url.value !== undefined && (
        <Secret label="The link of the invite" value={url.value} hide={() => (url.value = undefined)} />
      )}
      <List
        name={`${id} ${version.value}`}
        empty="No open invite."
        keyOf={(each) => each.id}
        load={async (cursor?: string) => {
          const query = { cursor };
          const answer = await api.get('/teams/{id}/invites', { params: { ...params, query } });
          return { items: answer.invites, next: answer.nextCursor };
        }}
      >
        {(each, changed) => (
          <>
            <p>
              For {each.email ?? each.domain ?? 'whoever has the link'}, as {each.role}, until{' '}
              {moment(each.expiresAt)}
              {each.acceptedAt && ' · accepted'}
              {each.revokedAt && ' · revoked'}
            </p>
            {each.acceptedAt === null && each.revokedAt === null && (
              <Act
                sure="Revoke this invite?"
                act={async () => {
                  const path = { id, inviteId: each.id };
                  await api.delete('/teams/{id}/invites/{inviteId}', { params: { path } });
                  changed();
                }}
              >
                Revoke
              </Act>
            )}
          </>
        )}
      </List>
      <Form key={version.value} label="New invite" submit="Invite" send={invite}>
        <Field label="Address" name="email" type="email" hint="Leave it empty for whoever has the link." />
        <Field
          label="Role"
          name="role"
          options={[
            ['member', 'Member'],
            ['admin', 'Admin'],
          ]}
        />
      </Form>
    </section>
  );
}

/** Loaded when somebody looks. */
function Audit({ id }: { id: string }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Audit log</summary>
      {isOpen.value && (
        <List
          name={id}
          empty="Nothing has been done."
          keyOf={(entry) => entry.id}
          load={async (cursor?: string) => {
            const query = { cursor };
            const log = await api.get('/teams/{id}/audit', { params: { path: { id }, query } });
            // Only a table is a text, which nobody asked for.
            return typeof log === 'string'
              ? { items: [], next: null }
              : { items: log.entries, next: log.nextCursor };
          }}
        >
          {(entry) => (
            <p>
              {moment(entry.createdAt)}: {entry.actorName ?? entry.actorUserId ?? 'Carillon'} · {entry.action}
            </p>
          )}
        </List>
      )}
    </details>
  );
}
