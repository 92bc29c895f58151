import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api/api';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';
import type { SectionProps } from './section';

interface Key {
  readonly secret: string;
  readonly uri: string;
}

const Code = () => <Field label="Code of the app" name="code" autocomplete="one-time-code" />;

interface Props extends SectionProps {
  /** Undefined while that is not known. */
  readonly isOn: boolean | undefined;
  readonly changed: () => void;
}

/** Sets up an authenticator app, whose codes are asked for beside the password, and removes it. */
export function AuthenticatorApp({ recently, showCodes, isOn, changed }: Props) {
  const key = useSignal<Key | undefined>(undefined);
  const done = useSignal('');
  const prepare = (): Promise<void> =>
    recently(async () => {
      key.value = await api.post('/totp');
      done.value = '';
    });
  const confirm = (form: FormData): Promise<void> =>
    recently(async () => {
      const { recoveryCodes } = await api.post('/totp/confirm', { body: { code: textOf(form, 'code') } });
      key.value = undefined;
      done.value = 'The app is set up.';
      showCodes(recoveryCodes);
      changed();
    });
  const remove = (form: FormData): Promise<void> =>
    recently(async () => {
      await api.delete('/totp', { body: { code: textOf(form, 'code') } });
      done.value = 'The app is removed.';
      changed();
    });
  return (
    <section aria-labelledby="authenticator-app">
      <h2 id="authenticator-app">Authenticator app</h2>
      {isOn !== undefined && (
        <p>
          {isOn
            ? 'On: a sign-in with the password asks for its code.'
            : 'Off: the password alone signs you in.'}
        </p>
      )}
      <p role="status">{done.value}</p>
      {key.value ? (
        <>
          <p>Scan this with the app, or type the key, and enter the code that the app shows.</p>
          <QrCode text={key.value.uri} />
          <p>
            <code>{key.value.secret}</code>
          </p>
          <Form label="Confirm the app" submit="Confirm" send={confirm}>
            <Code />
          </Form>
        </>
      ) : (
        <Act act={prepare}>{isOn ? 'Set up another app' : 'Set up an app'}</Act>
      )}
      {isOn !== false && (
        <details>
          <summary>Remove the app</summary>
          <Form label="Remove the app" submit="Remove the app" send={remove}>
            <Code />
          </Form>
        </details>
      )}
    </section>
  );
}

/** Scanners want a light margin of four modules. */
const margin = 4;

function QrCode({ text }: { text: string }) {
  const drawn = useSignal<{ size: number; path: string } | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    void import('qrcode').then(({ create }) => {
      if (isOver) return;
      const { size, data } = create(text).modules;
      const dark = [...data].flatMap((bit, index) =>
        bit ? [`M${index % size} ${Math.floor(index / size)}h1v1h-1z`] : [],
      );
      drawn.value = { size, path: dark.join('') };
    });
    return () => void (isOver = true);
  }, [text]);
  if (!drawn.value) return null;
  const { size, path } = drawn.value;
  const side = size + 2 * margin;
  return (
    <svg
      class="qr"
      role="img"
      aria-label="QR code of the key"
      viewBox={`${-margin} ${-margin} ${side} ${side}`}
    >
      <rect x={-margin} y={-margin} width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
