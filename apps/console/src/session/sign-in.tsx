import { ApiError } from '@carillon/client';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Field, Form, textOf } from '../parts/form';
import { Page } from '../parts/page';
import { Problem } from '../parts/state';
import { offerPasskeys } from './passkey';
import { Providers } from './providers';
import { type Account, signedIn } from './session';
import { UsePasskey } from './use-passkey';

const send =
  (path: '/login/password' | '/login/recovery' | '/signup' | '/bootstrap', fields: readonly string[]) =>
  async (form: FormData): Promise<void> => {
    const given = Object.fromEntries(fields.map((name) => [name, textOf(form, name)]));
    const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    const answer = await api.post(path, { body: body as never });
    signedIn((answer as { account: Account }).account);
    if (!path.startsWith('/login')) history.replaceState(null, '', '/console/');
  };

const Address = ({ autocomplete = 'username' }) => (
  <Field label="E-mail address" name="email" type="email" autocomplete={autocomplete} />
);
const Name = () => <Field label="Your name" name="name" autocomplete="name" />;
const NewPassword = () => (
  <Field
    label="Password"
    name="password"
    type="password"
    autocomplete="new-password"
    hint="At least 12 characters. Any sentence of your own will do."
  />
);

const signIn = send('/login/password', ['email', 'password', 'totp', 'recoveryCode']);

const recover = send('/login/recovery', ['email', 'recoveryCode', 'password']);

/** For those who have lost their passkey or their authenticator app. */
const Recovery = ({ back }: { back: () => void }) => (
  <Page title="Sign in with a recovery code" isNarrow>
    <Form label="Sign in with a recovery code" submit="Sign in" send={recover}>
      <Address />
      <Field label="Recovery code" name="recoveryCode" autocomplete="off" />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="current-password"
        hint="Leave it empty where the account has none."
      />
    </Form>
    <button type="button" onClick={back}>
      Back
    </button>
  </Page>
);

/** Sends a link to sign in, whether somebody has the address or not. */
function ByMail({ back }: { back: () => void }) {
  const [isSent, setSent] = useState(false);
  const request = async (form: FormData): Promise<void> => {
    setSent(false);
    await api.post('/login/email', { body: { email: textOf(form, 'email') } });
    setSent(true);
  };
  return (
    <Page title="Sign in by mail" isNarrow>
      <Form label="Sign in by mail" submit="Send the link" send={request}>
        <Address />
      </Form>
      <p role="status">
        {isSent && 'If an account has this address, a link is on its way. It works once, for 30 minutes.'}
      </p>
      <button type="button" onClick={back}>
        Back
      </button>
    </Page>
  );
}

export function SignIn() {
  const [way, setWay] = useState<'here' | 'recovery' | 'mail'>('here');
  const back = (): void => setWay('here');
  if (way === 'recovery') return <Recovery back={back} />;
  if (way === 'mail') return <ByMail back={back} />;
  return <SignInHere leave={setWay} />;
}

function SignInHere({ leave }: { leave: (way: 'recovery' | 'mail') => void }) {
  const [hasSecondFactor, setSecondFactor] = useState(false);
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const { data: told } = useLoaded('mail', (signal) => api.get('/login/email', { signal }));
  useEffect(() => (isSending ? undefined : offerPasskeys(setRefusal)), [isSending]);
  const sendAll = async (form: FormData): Promise<void> => {
    setSending(true);
    setRefusal(undefined);
    try {
      await signIn(form);
    } catch (error) {
      setSending(false);
      if (error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED') setSecondFactor(true);
      throw error;
    }
  };
  return (
    <Page title="Sign in" isNarrow>
      {refusal !== undefined && <Problem error={refusal} />}
      <Form label="Sign in" submit="Sign in" send={sendAll}>
        <Address autocomplete="username webauthn" />
        <Field label="Password" name="password" type="password" autocomplete="current-password" />
        {hasSecondFactor && (
          <>
            <Field label="Code of your authenticator app" name="totp" autocomplete="one-time-code" />
            <Field
              label="Recovery code"
              name="recoveryCode"
              autocomplete="off"
              hint="If the app is lost. Leave the code of the app empty then."
            />
          </>
        )}
      </Form>
      <div class="actions">
        <UsePasskey />
        <Providers />
        {told?.mail && (
          <button type="button" onClick={() => leave('mail')}>
            Send me a link by mail
          </button>
        )}
        <button type="button" onClick={() => leave('recovery')}>
          Use a recovery code
        </button>
      </div>
      <p class="faint">
        <a href="/console/sign-up">Make an account</a> if you were invited, or{' '}
        <a href="/console/first">set up the first account</a> of a new installation.
      </p>
    </Page>
  );
}

export function SignUp() {
  return (
    <Page title="Make an account" isNarrow>
      <Form
        label="Make an account"
        submit="Make the account"
        send={send('/signup', ['email', 'name', 'password', 'inviteCode'])}
      >
        <Address />
        <Name />
        <NewPassword />
        <Field
          label="Invite code"
          name="inviteCode"
          autocomplete="off"
          hint="The last part of the link that you were sent. Leave it empty where everybody may join."
        />
      </Form>
      <p class="faint">
        <a href="/console/">Sign in</a> if you have an account.
      </p>
    </Page>
  );
}

export function FirstAccount() {
  return (
    <Page title="The first account" isNarrow>
      <Form
        label="The first account"
        submit="Make the account"
        send={send('/bootstrap', ['secret', 'email', 'name', 'password'])}
      >
        <Field
          label="Bootstrap secret"
          name="secret"
          autocomplete="off"
          hint="The service accounts logged it once at its first start."
        />
        <Address />
        <Name />
        <NewPassword />
      </Form>
      <p class="faint">
        <a href="/console/">Sign in</a> if there is an account already.
      </p>
    </Page>
  );
}
