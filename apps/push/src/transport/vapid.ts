import type { WebPushOffReason } from '@carillon/contracts';
import type { KeyRing } from '@carillon/signing';
import { createECDH } from 'node:crypto';

/** The pair of keys that identifies this installation to push services (RFC 8292), as base64url. */
export interface VapidKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * The VAPID key that belongs to a key of the ring; undefined when the ring has no such key. A new first key of the ring
 * makes a new VAPID key, and the older ones serve the subscriptions that were made with them.
 */
export function vapidKeyOf(ring: KeyRing, keyId: string): VapidKey | undefined {
  // One number in 2^32 is no private key of the curve.
  for (let round = 1; ; round += 1) {
    const privateKey = ring.derive(keyId, `carillon vapid ${round}`, 32);
    if (!privateKey) return undefined;
    const pair = createECDH('prime256v1');
    try {
      pair.setPrivateKey(privateKey);
    } catch {
      continue;
    }
    return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
  }
}

export type WebPushSubject =
  { readonly subject: string } | { readonly subject: null; readonly reason: WebPushOffReason };

/** The operator's address for push services. Throws when it is neither https nor mailto. */
export function webPushSubject(setting: string): WebPushSubject {
  if (setting === '') return { subject: null, reason: 'subject_missing' };
  const url = URL.parse(setting);
  const host = url?.protocol === 'mailto:' ? url.pathname.split('@')[1] : url?.hostname;
  if (!url || !host || !/^(https|mailto):$/.test(url.protocol))
    throw new Error(
      `The setting CARILLON_WEB_PUSH_SUBJECT must be an https or mailto address, not "${setting}"`,
    );
  if (/^(.*\.)?localhost\.?$/i.test(host) || host === '[::1]' || host.startsWith('127.'))
    return { subject: null, reason: 'subject_local' };
  return { subject: setting };
}
