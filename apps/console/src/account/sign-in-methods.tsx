import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import { Page } from '../parts/page';
import { Secret } from '../parts/secret';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { useRecentSignIn } from '../session/again';
import { addPasskey } from '../session/passkey';
import { AuthenticatorApp } from './authenticator-app';
import { Identities } from './identities';
import type { SectionProps } from './section';

export default function SignInMethods() {
  const { recently, again } = useRecentSignIn();
  const codes = useSignal<readonly string[] | undefined>(undefined);
  const me = useLoaded('me', (signal) => api.get('/me', { signal }));
  const section: SectionProps = { recently, showCodes: (made) => (codes.value = made) };
  return (
    <Page title="Sign-in methods">
      {again}
      {codes.value !== undefined && (
        <Secret
          label="The recovery codes"
          value={codes.value.join('\n')}
          hide={() => (codes.value = undefined)}
        />
      )}
      <Passkeys {...section} />
      <Identities {...section} />
      <AuthenticatorApp {...section} isOn={me.data?.totp} changed={me.reload} />
      <RecoveryCodes {...section} />
      <Password {...section} />
    </Page>
  );
}

function Passkeys({ recently, showCodes }: SectionProps) {
  const loaded = useLoaded('passkeys', async (signal) => (await api.get('/passkeys', { signal })).passkeys);
  const version = useSignal(0);
  const add = (form: FormData): Promise<void> =>
    recently(async () => {
      const { recoveryCodes } = await addPasskey(textOf(form, 'name'));
      if (recoveryCodes) showCodes(recoveryCodes);
      version.value += 1;
      loaded.reload();
    });
  const remove = (id: string) => (): Promise<void> =>
    recently(async () => {
      await api.delete('/passkeys/{id}', { params: { path: { id } } });
      loaded.reload();
    });
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <Shown of={loaded}>
        {(passkeys) =>
          passkeys.length === 0 ? (
            <Empty>No passkey yet.</Empty>
          ) : (
            <ul class="cards">
              {passkeys.map((each) => (
                <li key={each.id}>
                  <PasskeyRow passkey={each} remove={remove(each.id)} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <Form key={version.value} label="New passkey" submit="Add a passkey" send={add}>
        <Field label="Name" name="name" autocomplete="off" hint="Such as “Laptop” or “Blue key”." />
      </Form>
    </section>
  );
}

interface PasskeyRowProps {
  readonly passkey: SessionSchemas['schemas']['Passkey'];
  readonly remove: () => Promise<void>;
}

function PasskeyRow({ passkey, remove }: PasskeyRowProps) {
  const used = passkey.lastUsedAt ? `last used ${moment(passkey.lastUsedAt)}` : 'never used';
  return (
    <>
      <p>
        <b>{passkey.name}</b>
        {passkey.disabled && ' (disabled: it may have been copied)'}
      </p>
      <p class="faint">
        Added {moment(passkey.createdAt)} · {used}
        {passkey.backedUp && ' · with a copy elsewhere'}
      </p>
      <Act act={remove} sure={`Remove “${passkey.name}”? It signs nobody in any more.`}>
        Remove
      </Act>
    </>
  );
}

function RecoveryCodes({ recently, showCodes }: SectionProps) {
  const make = (): Promise<void> =>
    recently(async () => showCodes((await api.post('/recovery-codes')).recoveryCodes));
  return (
    <section aria-labelledby="recovery-codes">
      <h2 id="recovery-codes">Recovery codes</h2>
      <p class="faint">Each signs you in once when a passkey or the authenticator app is lost.</p>
      <Act act={make} sure="Make ten new recovery codes? The former ones are no longer good.">
        Make new codes
      </Act>
    </section>
  );
}

function Password({ recently }: SectionProps) {
  const done = useSignal('');
  const version = useSignal(0);
  const change = (form: FormData): Promise<void> =>
    recently(async () => {
      const current = textOf(form, 'current');
      await api.put('/password', { body: { next: textOf(form, 'next'), ...(current && { current }) } });
      version.value += 1;
      done.value = 'The password is changed. Your other sessions have ended.';
    });
  const remove = (): Promise<void> =>
    recently(async () => {
      await api.delete('/password');
      done.value = 'The password is removed. Your other sessions have ended.';
    });
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <p role="status">{done.value}</p>
      <Form key={version.value} label="Change the password" submit="Change the password" send={change}>
        <Field
          label="Current password"
          name="current"
          type="password"
          autocomplete="current-password"
          hint="Leave it empty where the account has none."
        />
        <Field
          label="New password"
          name="next"
          type="password"
          autocomplete="new-password"
          hint="At least 12 characters. Any sentence of your own will do."
        />
      </Form>
      <Act
        act={remove}
        sure="Remove the password? From then on only your other ways and recovery codes sign you in."
      >
        Remove the password
      </Act>
    </section>
  );
}
