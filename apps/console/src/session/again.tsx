import { api } from '../api/api';
import { Field, Form, textOf } from '../parts/form';
import { account } from './session';

/** Asks for the password once more, where the server wants a sign-in of the last minutes. */
export function Again({ done }: { done: () => void }) {
  const send = async (form: FormData): Promise<void> => {
    const email = account.value?.email ?? '';
    await api.post('/login/password', { body: { email, password: textOf(form, 'password') } });
    done();
  };
  return (
    <Form label="Sign in again" submit="Sign in again" send={send}>
      <p>This needs a recent sign-in.</p>
      <Field label="Your password" name="password" type="password" autocomplete="current-password" />
    </Form>
  );
}
