import type { Phone } from '../phone/phone.js';
import type { Phones } from '../phone/phones.js';
import { Problem } from './problem.js';

/** The phone that a path names. */
export function phoneOf(phones: Phones, id: string): Phone {
  const phone = phones.get(id);
  if (!phone) throw new Problem(404, { error: `no phone ${id}` });
  return phone;
}

/** The phone, if the app is still on it. */
export function installed(phone: Phone): Phone {
  if (phone.uninstalledAt !== undefined)
    throw new Problem(409, { error: 'the app is not installed on this phone' });
  return phone;
}

/** The phone, if its app can call the Session API now. */
export function reachable(phone: Phone): Phone {
  installed(phone);
  if (!phone.pairing) throw new Problem(409, { error: 'the phone is not paired' });
  if (!phone.settings.online) throw new Problem(409, { error: 'the phone is offline' });
  return phone;
}

/** A phone as the control API shows it: what it shares with the service stays with it. */
export function phoneView(phone: Phone): Record<string, unknown> {
  return {
    id: phone.id,
    platform: phone.platform,
    name: phone.name,
    environment: phone.environment,
    bundleId: phone.bundleId,
    installId: phone.installId,
    createdAt: phone.createdAt,
    pushToken: phone.pushToken,
    subscription: phone.browser && {
      endpoint: phone.browser.endpoint,
      keys: phone.browser.keys && { p256dh: phone.browser.keys.p256dh, auth: phone.browser.keys.auth },
    },
    pushToStartToken: phone.pushToStartToken,
    deviceId: phone.deviceId,
    paired: phone.pairing !== undefined,
    baseUrl: phone.pairing?.baseUrl,
    installed: phone.uninstalledAt === undefined,
    uninstalledAt:
      phone.uninstalledAt === undefined ? undefined : new Date(phone.uninstalledAt).toISOString(),
    settings: phone.settings,
    tray: phone.tray,
    activities: phone.activities,
    waiting: phone.stored.length + (phone.browser?.waiting.length ?? 0),
  };
}
