import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../exchange.js';
import { signOut, type Pairing, type Phone } from '../phone/phone.js';
import { isSuccess } from '../phone/session.js';
import { httpUrl, optional, shape, text } from './check.js';
import { Problem } from './problem.js';

/** As apps do, it asks again with the same install while the service is too busy to say whether it took it. */
const tries = 3;
const againMs = 500;

/** What a phone needs to be paired. */
export const newPairing = shape({
  baseUrl: httpUrl,
  accessToken: text(4096),
  refreshToken: optional(text(4096)),
});

/** Somebody signs in: the phone registers its install as the app would. Throws when the service does not take it. */
export async function pair(exchange: Exchange, phone: Phone, wanted: Pairing): Promise<void> {
  const before = phone.deviceId;
  phone.pairing = { ...wanted };
  let answer = await exchange.session.register(phone);
  for (let tried = 1; tried < tries && (answer.status === 503 || answer.status === 504); tried += 1) {
    await sleep(againMs);
    answer = await exchange.session.register(phone);
  }
  if (!isSuccess(answer) || phone.deviceId === undefined) {
    phone.pairing = undefined;
    exchange.log({ msg: 'pairing failed', phoneId: phone.id, status: answer.status });
    throw new Problem(502, { error: 'the Session API did not take the phone', ...answer });
  }
  // One install is one device of an account: another device is another account.
  if (before !== undefined && before !== phone.deviceId) {
    signOut(phone, exchange.now());
    exchange.log({ msg: 'another account signed in', phoneId: phone.id, deviceId: phone.deviceId });
  }
  exchange.phones.changed();
  exchange.registerWaiting(phone);
}
