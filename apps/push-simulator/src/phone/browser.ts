import { createECDH } from 'node:crypto';

/** What a browser keeps of its subscription, as base64url. */
export interface BrowserKeys {
  privateKey: string;
  p256dh: string;
  auth: string;
}

/** A fresh pair of keys and secret, as a browser makes them when it subscribes. */
export function newBrowserKeys(auth: Buffer): BrowserKeys {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return {
    privateKey: pair.getPrivateKey('base64url'),
    p256dh: pair.getPublicKey('base64url'),
    auth: auth.toString('base64url'),
  };
}

/** Where a real browser, which has the keys of its subscription itself, gets its messages. */
export interface Channel {
  readonly browserId: string;
  readonly channelId: string;
}

/** A message that a real browser has not acknowledged yet. */
export interface WaitingMessage {
  readonly version: string;
  /** Number of its record. */
  readonly n: number;
  readonly topic: string | undefined;
  readonly until: number;
  /** As it came, in base64url. */
  readonly data: string;
}
