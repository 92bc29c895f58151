import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { Page } from '../parts/page';
import { Shown } from '../parts/state';
import { moment } from '../parts/time';
import { useRecentSignIn } from '../session/again';
import { chosenIn, Scopes } from '../scope/scopes';

type Details = SessionSchemas['schemas']['CommandLineDetails'];

/** Where a person types the code that a command line shows. */
export default function CommandLine({ userCode }: { userCode?: string }) {
  return (
    <Page title="Sign in a command line" isNarrow>
      {userCode === undefined ? <TypeCode /> : <Asked userCode={userCode} />}
    </Page>
  );
}

function TypeCode() {
  const { route } = useLocation();
  const send = async (form: FormData): Promise<void> => {
    const code = textOf(form, 'code').trim();
    if (code !== '') route(`/console/cli/${encodeURIComponent(code)}`);
  };
  return (
    <Form label="Code" submit="Go on" send={send}>
      <Field label="The code that the command line shows" name="code" autocomplete="off" />
    </Form>
  );
}

function Asked({ userCode }: { userCode: string }) {
  const loaded = useLoaded(userCode, () => api.get('/cli/{userCode}', { params: { path: { userCode } } }));
  return <Shown of={loaded}>{(details) => <Request userCode={userCode} details={details} />}</Shown>;
}

function Request({ userCode, details }: { userCode: string; details: Details }) {
  const { host, scopes, expiresAt } = details;
  const { recently, again } = useRecentSignIn();
  const done = useSignal<string | undefined>(undefined);
  const decide = (decision: 'approve' | 'deny', chosen: typeof scopes): Promise<void> =>
    recently(async () => {
      await api.post('/cli/{userCode}', {
        params: { path: { userCode } },
        body: { decision, scopes: chosen },
      });
      done.value =
        decision === 'approve' ? 'The command line gets its token now.' : 'The command line was refused.';
    });
  if (done.value !== undefined) return <p role="status">{done.value} This page can be closed.</p>;
  return (
    <>
      <p>
        The command line on <b>{host}</b> shows the code <b>{userCode.toUpperCase()}</b> and asks for a token
        until {moment(expiresAt)}.
      </p>
      <p class="problem">
        Approve it only if you have just started it yourself and see this code there: whoever sent you the
        code gets the token.
      </p>
      {again}
      <Form label="Approve" submit="Approve" send={(form) => decide('approve', chosenIn(form, scopes))}>
        <Scopes scopes={scopes} isPreselected={() => true} />
      </Form>
      <Act act={() => decide('deny', [])}>Refuse</Act>
    </>
  );
}
