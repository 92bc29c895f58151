import type { SessionSchemas } from '@carillon/client';
import { signal } from '@preact/signals';
import { api, onSignedOut } from '../api/api';
import { silenceHere } from '../device/subscription';
import { sessionChannel } from '../early/early';

export type Account = SessionSchemas['schemas']['Account'];

/** `unknown` until the server has answered the first request with the cookie of this browser. */
export const session = signal<'unknown' | 'in' | 'out'>('unknown');
export const account = signal<Account | undefined>(undefined);

/** The account that a tab has signed in; null where it was signed out. */
sessionChannel.onmessage = ({ data }: MessageEvent<string | null>) => {
  // Nothing that this tab shows of one person may stay for another.
  const isSame = data === null ? session.peek() === 'out' : data === account.peek()?.id;
  if (!isSame) location.reload();
};

onSignedOut(() => {
  if (session.peek() === 'in') sessionChannel.postMessage(null);
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
  sessionChannel.postMessage(signed.id);
}

export async function signOut(): Promise<void> {
  // On a shared computer the next person must not read what rings here. It may not hold up the sign-out.
  await Promise.race([silenceHere().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 3_000))]);
  await api.post('/logout');
  sessionChannel.postMessage(null);
  // A load from the start, so that nothing of the account stays in memory.
  location.assign('/console/');
}
