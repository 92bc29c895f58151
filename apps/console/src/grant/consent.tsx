import type { SessionSchemas } from '@carillon/client';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Form } from '../parts/form';
import { Page } from '../parts/page';
import { Shown } from '../parts/state';
import { useRecentSignIn } from '../session/again';
import { chosenIn, Scopes } from '../scope/scopes';

type Details = SessionSchemas['schemas']['ConsentDetails'];

/** An OAuth client has sent the person here to ask for access. */
export default function Consent({ uid }: { uid: string }) {
  const loaded = useLoaded(uid, () => api.get('/oauth/interaction/{uid}', { params: { path: { uid } } }));
  return (
    <Page title="Allow access?" isNarrow>
      <Shown of={loaded}>{(details) => <Request uid={uid} details={details} />}</Shown>
    </Page>
  );
}

function Request({ uid, details }: { uid: string; details: Details }) {
  const { client, account, resource } = details;
  const choices = new Map(details.scopes.map((choice) => [choice.scope, choice]));
  const scopes = [...choices.keys()];
  const { recently, again } = useRecentSignIn();
  const decide = (decision: 'approve' | 'deny', chosen: typeof scopes): Promise<void> =>
    recently(async () => {
      const { redirectTo } = await api.post('/oauth/interaction/{uid}', {
        params: { path: { uid } },
        body: { decision, scopes: chosen },
      });
      location.assign(redirectTo);
    });
  return (
    <>
      <p>
        <b>{client.name}</b>
        {client.host ? (
          <>
            {' '}
            of <b>{client.host}</b>
          </>
        ) : (
          ', which has registered itself and may have any name,'
        )}{' '}
        asks for access to your account {account.email}. The answer goes to <b>{client.redirectHost}</b>.
      </p>
      {client.loopback && (
        <p class="problem">
          The answer goes to a program on this computer. Go on only if you have just started it yourself: any
          program can say that it is {client.name}.
        </p>
      )}
      <p class="faint">Good at {resource}. You can end it at any time under “Tokens”.</p>
      {again}
      <Form label="Allow access" submit="Allow" send={(form) => decide('approve', chosenIn(form, scopes))}>
        <Scopes
          scopes={scopes}
          isPreselected={(scope) => choices.get(scope)?.preselected === true}
          about={(scope) => choices.get(scope)?.write && <span class="faint">changes something</span>}
        />
      </Form>
      <Act act={() => decide('deny', [])}>Refuse</Act>
    </>
  );
}
