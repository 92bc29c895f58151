import { ApiError } from '@carillon/client';
import { useState } from 'preact/hooks';
import { api } from '../api/api';
import { Field, Form, textOf } from '../parts/form';
import { Page } from '../parts/page';
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

const Address = () => <Field label="E-mail address" name="email" type="email" autocomplete="username" />;
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

export function SignIn() {
  const [isLost, setLost] = useState(false);
  const [hasSecondFactor, setSecondFactor] = useState(false);
  const sendAll = async (form: FormData): Promise<void> => {
    try {
      await signIn(form);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED') setSecondFactor(true);
      throw error;
    }
  };
  if (isLost) return <Recovery back={() => setLost(false)} />;
  return (
    <Page title="Sign in" isNarrow>
      <Form label="Sign in" submit="Sign in" send={sendAll}>
        <Address />
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
        <button type="button" onClick={() => setLost(true)}>
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
