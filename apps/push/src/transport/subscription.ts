import type { Platform, WebPushSubscription } from '@carillon/contracts';

/** What a push to a browser needs, which a web device has as its push token. */
interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** The key of the ring whose VAPID key the browser subscribed with. No other is accepted for this subscription. */
  readonly keyId: string;
}

/** The push token of a web device. No part has a space: an endpoint is a URL as WHATWG writes it. */
export const tokenOf = ({ endpoint, keys }: WebPushSubscription, keyId: string): string =>
  [new URL(endpoint).href, keys.p256dh, keys.auth, keyId].join(' ');

export function subscriptionIn(token: string): Subscription {
  const [endpoint = '', p256dh = '', auth = '', keyId = ''] = token.split(' ');
  return { endpoint, p256dh, auth, keyId };
}

/** What identifies the address of a device among all: of a subscription its endpoint, whatever its keys. */
export const addressIn = (platform: Platform, token: string): string =>
  platform === 'web' ? subscriptionIn(token).endpoint : token;

/** The push services of the browsers, with their subdomains. */
const browsers = ['fcm.googleapis.com', 'push.services.mozilla.com', 'notify.windows.com', 'push.apple.com'];

/** Whether an endpoint is of a browser's push service. Any other may be a caller's own, which refuses what it likes. */
export function isOfBrowser(token: string): boolean {
  const { hostname } = new URL(subscriptionIn(token).endpoint);
  return browsers.some((service) => hostname === service || hostname.endsWith(`.${service}`));
}

/** Whether two tokens are those of one subscription, which a browser made with one VAPID key. */
export function isSameSubscription(token: string, other: string): boolean {
  const [one, two] = [subscriptionIn(token), subscriptionIn(other)];
  return one.endpoint === two.endpoint && one.p256dh === two.p256dh && one.auth === two.auth;
}
