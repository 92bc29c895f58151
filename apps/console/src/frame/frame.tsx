import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { sentenceOf } from '../parts/state';
import { account, session, signOut } from '../session/session';
import { SignInError } from '../session/sign-in-error';
import { newVersion, takeNewVersion } from './update';

const places = [
  ['/console/', 'Inbox'],
  ['/console/activities', 'Activities'],
  ['/console/devices', 'Devices'],
  ['/console/services', 'Services'],
  ['/console/webhooks', 'Reply webhooks'],
  ['/console/tokens', 'Tokens'],
  ['/console/oncall/me', 'On call'],
  ['/console/teams', 'Teams'],
  ['/console/apps', 'Apps'],
  ['/console/connectors', 'Connectors'],
] as const;
/** For operators of the installation alone. */
const operatorPlace = ['/console/operator', 'Operator'] as const;

/** What surrounds every page: the ways to the others, and what concerns them all. */
export function Frame({ children }: { children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/console/">
          Carillon
        </a>
        {session.value !== 'out' && <Places />}
        {account.value && <Person name={account.value.name} />}
      </header>
      <Notices />
      <SignInError />
      <div id="content">{children}</div>
    </>
  );
}

function Places() {
  const { path } = useLocation();
  const shown = account.value?.operator ? [...places, operatorPlace] : places;
  return (
    <nav aria-label="Pages">
      {shown.map(([href, label]) => (
        <a key={href} href={href} aria-current={href.replace(/\/$/, '') === path ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

function Person({ name }: { name: string }) {
  const failure = useSignal<string | undefined>(undefined);
  const leave = (): void => {
    signOut().catch((error: unknown) => (failure.value = sentenceOf(error)));
  };
  return (
    <div class="person">
      <a href="/console/account">{name}</a>
      <button type="button" onClick={leave}>
        Sign out
      </button>
      {failure.value && <span role="alert">{failure.value}</span>}
    </div>
  );
}

function Notices() {
  const isOnline = useSignal(navigator.onLine);
  useEffect(() => {
    const look = (): void => void (isOnline.value = navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return (
    <div role="status" class="notices">
      {!isOnline.value && <p>This device is offline. What is shown may be old.</p>}
      {newVersion.value && (
        <p>
          A new version of the console is there.{' '}
          <button type="button" onClick={takeNewVersion}>
            Reload
          </button>
        </p>
      )}
    </div>
  );
}
