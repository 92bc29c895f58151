import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api, codeOf } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Form } from '../parts/form';
import { Page } from '../parts/page';
import { Shown } from '../parts/state';
import { Again } from '../session/again';

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
  const { client, account, resource, scopes } = details;
  const isOld = useSignal(false);
  const decide = async (decision: 'approve' | 'deny', chosen: typeof scopes): Promise<void> => {
    try {
      const { redirectTo } = await api.post('/oauth/interaction/{uid}', {
        params: { path: { uid } },
        body: { decision, scopes: chosen.map(({ scope }) => scope) },
      });
      location.assign(redirectTo);
    } catch (error) {
      isOld.value = codeOf(error) === 'REAUTH_REQUIRED';
      throw error;
    }
  };
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
      {isOld.value && <Again done={() => (isOld.value = false)} />}
      <Form
        label="Allow access"
        submit="Allow"
        send={(form) =>
          decide(
            'approve',
            scopes.filter(({ scope }) => form.getAll('scopes').includes(scope)),
          )
        }
      >
        <fieldset>
          <legend>It may</legend>
          {scopes.map(({ scope, write, preselected }) => (
            <label key={scope} class="check">
              <input type="checkbox" name="scopes" value={scope} defaultChecked={preselected} />
              {scope}
              {write && <span class="faint">changes something</span>}
            </label>
          ))}
        </fieldset>
      </Form>
      <Act act={() => decide('deny', [])}>Refuse</Act>
    </>
  );
}
