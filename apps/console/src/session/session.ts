import type { SessionSchemas } from '@carillon/client';
import { signal } from '@preact/signals';
import { api, onSignedOut } from '../api/api';

export type Account = SessionSchemas['schemas']['Account'];

/** `unknown` until the server has answered the first request with the cookie of this browser. */
export const session = signal<'unknown' | 'in' | 'out'>('unknown');
export const account = signal<Account | undefined>(undefined);

const channel = new BroadcastChannel('carillon-session');
channel.onmessage = ({ data }: MessageEvent<'in' | 'out'>) => {
  // Another person may have signed in: nothing that this tab shows may stay.
  if (data === 'in' && session.peek() !== 'out') return;
  location.reload();
};

onSignedOut(() => {
  account.value = undefined;
  session.value = 'out';
});

/** The account of this session, or nothing where nobody is signed in. */
export async function loadAccount(): Promise<void> {
  const answer = await api.get('/me');
  account.value = answer.account;
  session.value = 'in';
}

export function signedIn(signed: Account): void {
  account.value = signed;
  session.value = 'in';
  channel.postMessage('in');
}

export async function signOut(): Promise<void> {
  await api.post('/logout');
  channel.postMessage('out');
  // A load from the start, so that nothing of the account stays in memory.
  location.assign('/console/');
}
