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
