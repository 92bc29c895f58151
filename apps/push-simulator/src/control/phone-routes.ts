import type { FastifyInstance } from 'fastify';
import type { Exchange } from '../exchange.js';
import { stopActivities, uninstall, type Phone } from '../phone/phone.js';
import { bodyOf, nothing } from './body.js';
import { flag, nullable, oneOf, optional, shape, text, whole } from './check.js';
import { timeOf } from './clock-routes.js';
import { newPairing, pair } from './pairing.js';
import { installed, phoneOf, phoneView } from './phone.js';
import { Problem } from './problem.js';

interface OnPhone {
  Params: { id: string };
}

const newPhone = shape({
  platform: oneOf('ios', 'android', 'web'),
  host: optional(text(253)),
  name: optional(text(64)),
  environment: optional(oneOf('sandbox', 'production')),
  bundleId: optional(text(155)),
  liveActivities: optional(flag),
  interactiveLiveActivities: optional(flag),
  pair: optional(newPairing),
});
const newSettings = shape({
  online: optional(flag),
  liveActivities: optional(flag),
  registerUpdateTokens: optional(oneOf('auto', 'manual')),
  authorized: optional(flag),
  frequentPushes: optional(flag),
  highPriorityPerHour: optional(nullable(whole(0, 100_000))),
  startsPerHour: optional(nullable(whole(0, 100_000))),
  fcmQuota: optional(flag),
});
const rotation = shape({ token: optional(oneOf('alert', 'start')) });

/** Phones: added, looked at, set, and removed, with their app and its tokens. */
export function phoneRoutes(api: FastifyInstance, exchange: Exchange): void {
  const { phones, session } = exchange;

  api.get('/phones', () => ({ phones: phones.list().map(phoneView), ...timeOf(exchange) }));

  api.post('/phones', async (request, reply) => {
    const { pair: wanted, ...rest } = bodyOf(request, newPhone);
    const phone = phones.create(rest);
    if (wanted) {
      await pair(exchange, phone, wanted).catch((error: unknown) => {
        remove(exchange, phone);
        throw error;
      });
    }
    exchange.log({
      msg: 'phone added',
      phoneId: phone.id,
      platform: phone.platform,
      deviceId: phone.deviceId,
    });
    reply.code(201);
    return { phone: phoneView(phone) };
  });

  api.get<OnPhone>('/phones/:id', ({ params }) => ({ phone: phoneView(phoneOf(phones, params.id)) }));

  api.delete<OnPhone>('/phones/:id', ({ params }) => {
    const phone = phoneOf(phones, params.id);
    remove(exchange, phone);
    exchange.log({ msg: 'phone removed', phoneId: phone.id });
    return { ok: true };
  });

  api.patch<OnPhone>('/phones/:id', async (request) => {
    const phone = phoneOf(phones, request.params.id);
    await change(exchange, phone, bodyOf(request, newSettings));
    return { phone: phoneView(phone) };
  });

  api.post<OnPhone>('/phones/:id/uninstall', (request) => {
    const phone = phoneOf(phones, request.params.id);
    bodyOf(request, nothing);
    uninstall(phone, exchange.now());
    phones.index();
    phones.changed();
    exchange.log({ msg: 'app uninstalled', phoneId: phone.id });
    return { phone: phoneView(phone) };
  });

  api.post<OnPhone>('/phones/:id/rotate', async (request) => {
    const phone = phoneOf(phones, request.params.id);
    const kind = bodyOf(request, rotation).token ?? 'alert';
    installed(phone);
    if (kind === 'start' && !phone.pushToStartToken)
      throw new Problem(409, { error: 'the phone has no push-to-start token' });
    phones.rotate(phone, kind);
    const answer = phone.pairing && phone.deviceId ? await session.sendTokens(phone, kind) : undefined;
    return { phone: phoneView(phone), ...(answer ? { session: answer } : {}) };
  });
}

function remove({ phones, received }: Exchange, phone: Phone): void {
  phones.remove(phone);
  received.forget(phone.id);
}

async function change(
  exchange: Exchange,
  phone: Phone,
  wanted: ReturnType<typeof newSettings>,
): Promise<void> {
  const { phones, session } = exchange;
  const before = { ...phone.settings };
  for (const [name, value] of Object.entries(wanted))
    if (value !== undefined) Object.assign(phone.settings, { [name]: value });
  const { settings } = phone;
  phones.mintStartToken(phone);
  phones.changed();
  if (before.liveActivities && !settings.liveActivities) stopActivities(phone, exchange.now());
  if (!before.online && settings.online) exchange.online(phone);
  // The app tells the service what its phone can do now, as it would when it is next opened.
  const isNews = before.liveActivities !== settings.liveActivities && settings.online;
  if (isNews && phone.pairing && phone.uninstalledAt === undefined) await session.register(phone);
  if (before.registerUpdateTokens === 'manual' && settings.registerUpdateTokens === 'auto')
    exchange.registerWaiting(phone);
}
