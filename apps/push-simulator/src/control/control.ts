import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Exchange } from '../exchange.js';
import { dismissActivity, isRunning, type Activity } from '../phone/activity.js';
import {
  clearPhone,
  digestOf,
  removeFromTray,
  signOut,
  stopActivities,
  uninstall,
  type Phone,
} from '../phone/phone.js';
import { isSuccess, type SessionAnswer } from '../phone/session.js';
import { refusalOf } from './own-site.js';
import { BadInput, flag, httpUrl, nullable, oneOf, optional, shape, text, whole, within } from './body.js';

interface Answer {
  status?: number;
  body: unknown;
}
interface Call {
  params: string[];
  query: URLSearchParams;
  /** The body checked against a shape; a missing body counts as an empty object. */
  body: <Value>(check: (value: unknown, name: string) => Value) => Value;
}
type Route = [method: string, pattern: string, act: (call: Call) => Answer | Promise<Answer>];

class Problem extends Error {
  constructor(
    readonly status: number,
    readonly body: Record<string, unknown>,
  ) {
    super(String(body.error));
  }
}

const bodyLimit = 65_536;
const pairing = shape({
  baseUrl: httpUrl,
  accessToken: text(4096),
  refreshToken: optional(text(4096)),
});
const newPhone = shape({
  platform: oneOf('ios', 'android'),
  name: optional(text(64)),
  environment: optional(oneOf('sandbox', 'production')),
  bundleId: optional(text(155)),
  liveActivities: optional(flag),
  interactiveLiveActivities: optional(flag),
  pair: optional(pairing),
});
const switches = shape({
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
const move = shape({ advanceSeconds: within(0, 315_360_000) });
const press = shape({ promptId: text(200), answer: text(20_000), actionDigest: optional(text(200)) });
const newFault = shape({
  match: optional(
    shape({
      provider: optional(oneOf('apns', 'fcm', 'oauth')),
      phoneId: optional(text(200)),
      pushType: optional(text(64)),
    }),
  ),
  count: optional(whole(1, 1_000_000)),
  effect: shape({
    latencyMs: optional(whole(0, 600_000)),
    status: optional(whole(200, 599)),
    reason: optional(text(100)),
    retryAfterSeconds: optional(whole(0, 86_400)),
    cut: optional(oneOf('before', 'after')),
    goaway: optional(flag),
    refuseStream: optional(flag),
  }),
});
const nothing = shape({});

/** The control API and its page, plain HTTP. */
export function controlServer(exchange: Exchange, about: () => Record<string, unknown>): Server {
  const { phones, received, faults, session } = exchange;

  const phoneOf = (id: string): Phone => {
    const phone = phones.get(id);
    if (!phone) throw new Problem(404, { error: `no phone ${id}` });
    return phone;
  };
  const reachable = (phone: Phone): Phone => {
    if (phone.uninstalledAt !== undefined)
      throw new Problem(409, { error: 'the app is not installed on this phone' });
    if (!phone.pairing) throw new Problem(409, { error: 'the phone is not paired' });
    if (!phone.settings.online) throw new Problem(409, { error: 'the phone is offline' });
    return phone;
  };
  const activityOf = (phone: Phone, activityId: string): Activity => {
    const activity = phone.activities.find((candidate) => candidate.activityId === activityId);
    if (!activity) throw new Problem(404, { error: `no activity ${activityId} on this phone` });
    return activity;
  };
  const tokenOf = (phone: Phone, activityId: string): Activity => {
    const activity = activityOf(phone, activityId);
    if (!activity.updateToken)
      throw new Problem(404, { error: `activity ${activityId} has no update token on this phone` });
    return activity;
  };
  const pair = async (phone: Phone, wanted: ReturnType<typeof pairing>): Promise<void> => {
    const before = phone.deviceId;
    phone.pairing = { ...wanted };
    const answer = await session.register(phone);
    if (isSuccess(answer) && phone.deviceId !== undefined) {
      // One install is one device of an account: another device is another account.
      if (before !== undefined && before !== phone.deviceId) {
        signOut(phone, exchange.now());
        exchange.log({ msg: 'another account signed in', phoneId: phone.id, deviceId: phone.deviceId });
      }
      phones.changed();
      exchange.registerWaiting(phone);
      return;
    }
    phone.pairing = undefined;
    exchange.log({ msg: 'pairing failed', phoneId: phone.id, status: answer.status });
    throw new Problem(502, { error: 'the Session API did not take the phone', ...answer });
  };
  const after = (query: URLSearchParams): number => {
    const given = query.get('after');
    if (given === null) return 0;
    if (!/^\d{1,15}$/.test(given)) throw new BadInput('after must be a whole number');
    return Number(given);
  };

  const time = () => ({
    now: new Date(exchange.now()).toISOString(),
    aheadSeconds: exchange.clock.aheadSeconds,
  });

  const routes: Route[] = [
    ['GET', '/healthz', () => ({ body: { status: 'ok' } })],
    ['GET', '/about', () => ({ body: about() })],
    ['GET', '/clock', () => ({ body: time() })],
    [
      'POST',
      '/clock',
      ({ body }) => {
        exchange.clock.advance(body(move).advanceSeconds);
        exchange.age();
        return { body: time() };
      },
    ],
    [
      'DELETE',
      '/clock',
      () => {
        exchange.clock.reset();
        return { body: time() };
      },
    ],
    ['GET', '/phones', () => ({ body: { phones: phones.list().map(view), ...time() } })],
    [
      'POST',
      '/phones',
      async ({ body }) => {
        const { pair: wanted, ...rest } = body(newPhone);
        const phone = phones.create(rest);
        if (wanted) {
          await pair(phone, wanted).catch((error: unknown) => {
            phones.remove(phone);
            received.forget(phone.id);
            throw error;
          });
        }
        exchange.log({
          msg: 'phone added',
          phoneId: phone.id,
          platform: phone.platform,
          deviceId: phone.deviceId,
        });
        return { status: 201, body: { phone: view(phone) } };
      },
    ],
    ['GET', '/phones/:id', ({ params: [id] }) => ({ body: { phone: view(phoneOf(id!)) } })],
    [
      'DELETE',
      '/phones/:id',
      ({ params: [id] }) => {
        const phone = phoneOf(id!);
        phones.remove(phone);
        received.forget(phone.id);
        exchange.log({ msg: 'phone removed', phoneId: phone.id });
        return { body: { ok: true } };
      },
    ],
    [
      'PATCH',
      '/phones/:id',
      async ({ params: [id], body }) => {
        const phone = phoneOf(id!);
        const wanted = body(switches);
        const before = { ...phone.settings };
        for (const [name, value] of Object.entries(wanted))
          if (value !== undefined) Object.assign(phone.settings, { [name]: value });
        phones.mintStartToken(phone);
        phones.changed();
        if (before.liveActivities && !phone.settings.liveActivities) stopActivities(phone, exchange.now());
        if (!before.online && phone.settings.online) exchange.online(phone);
        // The app tells the service what its phone can do now, as it would when it is next opened.
        const told = before.liveActivities !== phone.settings.liveActivities && phone.settings.online;
        if (told && phone.pairing && phone.uninstalledAt === undefined) await session.register(phone);
        if (before.registerUpdateTokens === 'manual' && phone.settings.registerUpdateTokens === 'auto')
          exchange.registerWaiting(phone);
        return { body: { phone: view(phone) } };
      },
    ],
    [
      'POST',
      '/phones/:id/pair',
      async ({ params: [id], body }) => {
        const phone = phoneOf(id!);
        if (phone.uninstalledAt !== undefined)
          throw new Problem(409, { error: 'the app is not installed on this phone' });
        await pair(phone, body(pairing));
        return { body: { phone: view(phone) } };
      },
    ],
    [
      'POST',
      '/phones/:id/uninstall',
      ({ params: [id], body }) => {
        const phone = phoneOf(id!);
        body(nothing);
        uninstall(phone, exchange.now());
        phones.index();
        phones.changed();
        exchange.log({ msg: 'app uninstalled', phoneId: phone.id });
        return { body: { phone: view(phone) } };
      },
    ],
    [
      'POST',
      '/phones/:id/rotate',
      async ({ params: [id], body }) => {
        const phone = phoneOf(id!);
        const kind = body(rotation).token ?? 'alert';
        if (phone.uninstalledAt !== undefined)
          throw new Problem(409, { error: 'the app is not installed on this phone' });
        if (kind === 'start' && !phone.pushToStartToken)
          throw new Problem(409, { error: 'the phone has no push-to-start token' });
        phones.rotate(phone, kind);
        const told = phone.pairing && phone.deviceId ? await session.sendTokens(phone, kind) : undefined;
        return { body: { phone: view(phone), ...(told ? { session: told } : {}) } };
      },
    ],
    [
      'POST',
      '/phones/:id/sign-out',
      async ({ params: [id], body }) => {
        const phone = phoneOf(id!);
        body(nothing);
        const said = await session.signOut(reachable(phone));
        signOut(phone, exchange.now());
        phone.pairing = undefined;
        phone.deviceId = undefined;
        phones.changed();
        exchange.log({ msg: 'signed out', phoneId: phone.id });
        return { body: { phone: view(phone), session: said } };
      },
    ],
    [
      'POST',
      '/phones/:id/press',
      async ({ params: [id], body }) => {
        const phone = phoneOf(id!);
        const { promptId, answer, actionDigest } = body(press);
        const said: SessionAnswer = await session.answer(
          reachable(phone),
          promptId,
          answer,
          actionDigest ?? digestOf(phone, promptId),
        );
        // A press takes the notification away; the app puts it back only when the service did not hear it.
        if (said.status > 0 && said.status < 500 && removeFromTray(phone, promptId) > 0) phones.changed();
        exchange.log({ msg: 'pressed', phoneId: phone.id, promptId, status: said.status });
        return { body: said };
      },
    ],
    [
      'GET',
      '/phones/:id/received',
      ({ params: [id], query }) => ({ body: received.after(phoneOf(id!).id, after(query)) }),
    ],
    ['GET', '/received', ({ query }) => ({ body: received.afterOfAll(after(query)) })],
    [
      'POST',
      '/phones/:id/activities/:activityId/register',
      async ({ params: [id, activityId], body }) => {
        const phone = phoneOf(id!);
        body(nothing);
        const activity = tokenOf(phone, activityId!);
        return { body: await session.registerActivity(reachable(phone), activity) };
      },
    ],
    [
      'POST',
      '/phones/:id/activities/:activityId/rotate',
      ({ params: [id, activityId], body }) => {
        const phone = phoneOf(id!);
        body(nothing);
        const activity = tokenOf(phone, activityId!);
        if (!isRunning(activity)) throw new Problem(409, { error: `activity ${activityId} is not running` });
        phones.rotateUpdateToken(phone, activity);
        session.keepRegistering(phone, activity);
        return { body: { phone: view(phone) } };
      },
    ],
    [
      'POST',
      '/phones/:id/activities/:activityId/dismiss',
      ({ params: [id, activityId], body }) => {
        const phone = phoneOf(id!);
        body(nothing);
        dismissActivity(activityOf(phone, activityId!), exchange.now(), 'the person');
        phones.changed();
        return { body: { phone: view(phone) } };
      },
    ],
    [
      'POST',
      '/faults',
      ({ body }) => {
        const { match, effect, count } = body(newFault);
        if (Object.values(effect).every((value) => value === undefined || value === false))
          throw new BadInput('effect must have at least one field');
        const fault = faults.add(match ?? {}, effect, count);
        exchange.log({ msg: 'fault added', fault });
        return { status: 201, body: { fault } };
      },
    ],
    ['GET', '/faults', () => ({ body: { faults: faults.list() } })],
    [
      'DELETE',
      '/faults',
      () => {
        faults.clear();
        return { body: { faults: [] } };
      },
    ],
    ['GET', '/stats', () => ({ body: received.stats })],
    [
      'POST',
      '/reset',
      ({ body }) => {
        body(nothing);
        for (const phone of phones.list()) clearPhone(phone, exchange.now());
        phones.index();
        phones.changed();
        received.clear();
        faults.clear();
        exchange.log({ msg: 'reset' });
        return { body: { ok: true } };
      },
    ],
  ];
  const table = routes.map(([method, pattern, act]) => ({
    method,
    act,
    path: new RegExp(`^${pattern.replace(/:[A-Za-z]+/g, '([^/]+)')}$`),
  }));
  const files = pageFiles();

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, headers, socket } = request;
    const { localAddress, localPort } = socket;
    const refusal = refusalOf({ method, headers, localAddress, localPort });
    if (refusal) throw new Problem(refusal.status, { error: refusal.error });
    const url = new URL(request.url ?? '/', 'http://simulator');
    const file = files.get(url.pathname);
    if (file && (request.method === 'GET' || request.method === 'HEAD')) {
      response.writeHead(200, {
        'content-type': file.type,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      });
      response.end(request.method === 'HEAD' ? undefined : file.content);
      return;
    }
    const matching = table.filter((route) => route.path.test(url.pathname));
    if (matching.length === 0) throw new Problem(404, { error: `no route ${url.pathname}` });
    const route = matching.find((candidate) => candidate.method === request.method);
    if (!route) throw new Problem(405, { error: `${url.pathname} takes no ${request.method}` });
    const raw = await readBody(request);
    exchange.age();
    const answer = await route.act({
      params: route.path
        .exec(url.pathname)!
        .slice(1)
        .map((part) => decode(part)),
      query: url.searchParams,
      body: (check) => check(raw === '' ? {} : parse(raw), 'body'),
    });
    reply(response, answer.status ?? 200, answer.body);
  };

  return createServer((request, response) => {
    request.on('error', () => {});
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy();
      if (error instanceof Problem) return reply(response, error.status, error.body);
      if (error instanceof BadInput) return reply(response, 400, { error: error.message });
      exchange.log({ msg: 'control request failed', error: String((error as Error)?.stack ?? error) });
      reply(response, 500, { error: 'internal error' });
    });
  });
}

/** A phone as the control API shows it: what it shares with the service stays with it. */
function view(phone: Phone): Record<string, unknown> {
  return {
    id: phone.id,
    platform: phone.platform,
    name: phone.name,
    environment: phone.environment,
    bundleId: phone.bundleId,
    installId: phone.installId,
    createdAt: phone.createdAt,
    pushToken: phone.pushToken,
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
    waiting: phone.stored.length,
  };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  const content = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(content),
    'cache-control': 'no-store',
  });
  response.end(content);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) throw new Problem(413, { error: `a body has at most ${bodyLimit} bytes` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const parse = (raw: string): unknown => {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    throw new BadInput('the body is not JSON');
  }
};

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new BadInput('the path is not well encoded');
  }
};

function pageFiles(): Map<string, { type: string; content: Buffer }> {
  const file = (name: string, type: string) => ({
    type: `${type}; charset=utf-8`,
    content: readFileSync(new URL(`../page/${name}`, import.meta.url)),
  });
  return new Map([
    ['/', file('page.html', 'text/html')],
    ['/page.css', file('page.css', 'text/css')],
    ['/page.js', file('page.js', 'text/javascript')],
    ['/activity.js', file('activity.js', 'text/javascript')],
    ['/element.js', file('element.js', 'text/javascript')],
    ['/activity-text.js', file('activity-text.js', 'text/javascript')],
    ['/words.js', file('words.js', 'text/javascript')],
  ]);
}
