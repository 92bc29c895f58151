import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Page } from '../parts/page';
import { Problem, Shown } from '../parts/state';
import { moment } from '../parts/time';

type Preview = SessionSchemas['schemas']['InvitePreview'];

export default function Join({ code }: { code: string }) {
  const loaded = useLoaded(code, async () => {
    const { invite } = await api.get('/invites/{code}', { params: { path: { code } } });
    return invite;
  });
  return (
    <Page title="Invite" isNarrow>
      <Shown of={loaded}>{(invite) => <Invited code={code} invite={invite} />}</Shown>
    </Page>
  );
}

function Invited({ code, invite }: { code: string; invite: Preview }) {
  const { route } = useLocation();
  const failure = useSignal<unknown>(undefined);
  const join = (): void => {
    failure.value = undefined;
    api
      .post('/invites/{code}/accept', { params: { path: { code } } })
      .then(({ team }) => route(`/console/teams/${team.id}`, true))
      .catch((error: unknown) => (failure.value = error));
  };
  return (
    <>
      <p>
        {invite.invitedBy.name} invites you into the {invite.team.kind} <b>{invite.team.name}</b>, as{' '}
        {invite.role === 'admin' ? 'an admin' : 'a member'}. It has {invite.team.memberCount} members.
      </p>
      {!invite.addressFits && <p class="problem">The invite is for another address than yours.</p>}
      <p class="faint">It can be accepted until {moment(invite.expiresAt)}.</p>
      {failure.value !== undefined && <Problem error={failure.value} />}
      <button type="button" class="primary" onClick={join}>
        Join
      </button>
    </>
  );
}
