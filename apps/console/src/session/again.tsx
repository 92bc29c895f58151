import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { api, codeOf } from '../api/api';
import { Field, Form, textOf } from '../parts/form';
import { Providers } from './providers';
import { account } from './session';
import { UsePasskey } from './use-passkey';

interface RecentSignIn {
  /** Does what needs a sign-in of the last minutes. A failure is thrown on. */
  recently(act: () => Promise<void>): Promise<void>;
  /** The form that is shown after the server has refused it for the age of the sign-in. */
  readonly again: ComponentChildren;
}

export function useRecentSignIn(): RecentSignIn {
  const isOld = useSignal(false);
  const recently = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
      isOld.value = false;
    } catch (error) {
      isOld.value = codeOf(error) === 'REAUTH_REQUIRED';
      throw error;
    }
  };
  return { recently, again: isOld.value && <Again done={() => (isOld.value = false)} /> };
}

/** Asks to sign in once more, where the server wants a sign-in of the last minutes. */
function Again({ done }: { done: () => void }) {
  const hasSecondFactor = useSignal(false);
  const send = async (form: FormData): Promise<void> => {
    const email = account.value?.email ?? '';
    const totp = textOf(form, 'totp');
    try {
      await api.post('/login/password', {
        body: { email, password: textOf(form, 'password'), ...(totp && { totp }) },
      });
    } catch (error) {
      if (codeOf(error) === 'SECOND_FACTOR_REQUIRED') hasSecondFactor.value = true;
      throw error;
    }
    done();
  };
  return (
    <>
      <Form label="Sign in again" submit="Sign in again" send={send}>
        <p>This needs a recent sign-in.</p>
        <Field label="Your password" name="password" type="password" autocomplete="current-password" />
        {hasSecondFactor.value && (
          <Field label="Code of your authenticator app" name="totp" autocomplete="one-time-code" />
        )}
      </Form>
      <UsePasskey done={done} />
      <Providers />
    </>
  );
}
