import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import webpush from 'web-push';
import { WebSocket } from 'ws';
import { startSimulator, type Simulator } from '../simulator.js';

type Message = Record<string, unknown>;

const folder = mkdtempSync(join(tmpdir(), 'push-simulator-browsers-'));
const service = webpush.generateVAPIDKeys();
const ecdh = createECDH('prime256v1');
const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
let simulator: Simulator;
const start = async () => {
  simulator = await startSimulator({ dataFolder: folder });
};
beforeAll(start);
afterAll(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A connection as Firefox makes it, and the messages that came over it. */
async function connect(hello: Message = {}) {
  const { controlUrl } = simulator.providers;
  const socket = new WebSocket(`${controlUrl.replace(/^http/, 'ws')}/browsers`, 'push-notification');
  const came: Message[] = [];
  socket.on('message', (data) => came.push(JSON.parse(String(data)) as Message));
  await once(socket, 'open');
  const say = (message: Message) => socket.send(JSON.stringify(message));
  const next = async (): Promise<Message> => {
    while (came.length === 0) await once(socket, 'message');
    return came.shift()!;
  };
  const close = async () => {
    socket.close();
    await once(socket, 'close');
  };
  say({ messageType: 'hello', use_webpush: true, ...hello });
  const { uaid } = await next();
  const register = async (channelID: string): Promise<string> => {
    // Firefox pads the key.
    say({ messageType: 'register', channelID, key: `${service.publicKey}=` });
    const answer = await next();
    expect(answer).toMatchObject({ messageType: 'register', channelID, status: 200 });
    return String(answer.pushEndpoint);
  };
  return { uaid, say, next, close, register };
}

/** Pushes as a service does; gives the status. */
function push(
  endpoint: string,
  options: { text?: string; topic?: string; ttl?: number; by?: typeof service } = {},
): Promise<number> {
  const { text = 'hello', topic, ttl = 60, by = service } = options;
  const request = webpush.generateRequestDetails({ endpoint, keys }, text, {
    vapidDetails: { subject: 'mailto:operator@carillon.example', ...by },
    TTL: ttl,
    ...(topic !== undefined && { topic }),
  });
  const ca = readFileSync(simulator.providers.web.caFile);
  return new Promise((done, failed) => {
    const asked = https.request(endpoint, { method: 'POST', headers: request.headers, ca }, (answer) => {
      answer.resume();
      answer.on('end', () => done(answer.statusCode ?? 0));
    });
    asked.on('error', failed);
    asked.end(request.body);
  });
}

const records = async () =>
  ((await (await fetch(`${simulator.controlUrl}/received`)).json()) as { received: Message[] }).received;

describe('the push service of a real browser', () => {
  it('gives it messages as they came, and notes what the browser answers', async () => {
    const browser = await connect();
    const endpoint = await browser.register('channel-1');
    expect(await browser.register('channel-1')).toBe(endpoint);
    expect(await push(endpoint)).toBe(201);
    const message = await browser.next();
    expect(message).toMatchObject({
      messageType: 'notification',
      channelID: 'channel-1',
      headers: { encoding: 'aes128gcm' },
    });
    // The salt, the record size, and the key of 65 bytes that it was encrypted with.
    expect(Buffer.from(String(message.data), 'base64url')[20]).toBe(65);
    expect((await records()).at(-1)).toMatchObject({
      payload: null,
      shown: false,
      why: 'sent to the browser',
    });
    const { version } = message;
    browser.say({ messageType: 'ack', updates: [{ channelID: 'channel-1', version, code: 100 }] });
    browser.say({});
    expect(await browser.next()).toEqual({});
    expect((await records()).at(-1)).toMatchObject({ shown: true });

    expect(await push(endpoint)).toBe(201);
    browser.say({ messageType: 'nack', version: (await browser.next()).version, code: 302 });
    browser.say({});
    await browser.next();
    expect((await records()).at(-1)).toMatchObject({ shown: false, why: 'the browser answered 302' });
    await browser.close();
  });

  it('keeps messages while it is away, the newest of a topic, also over a restart of its own', async () => {
    const browser = await connect();
    const endpoint = await browser.register('channel-2');
    await browser.close();
    expect(await push(endpoint, { topic: 'a', text: 'a first message, longer than the others' })).toBe(201);
    expect(await push(endpoint, { topic: 'a' })).toBe(201);
    expect(await push(endpoint, { topic: 'b' })).toBe(201);
    expect(await push(endpoint, { ttl: 0 })).toBe(201);
    await simulator.stop();
    await start();
    const again = await connect({ uaid: browser.uaid });
    expect(again.uaid).toBe(browser.uaid);
    const [first, second] = [await again.next(), await again.next()];
    expect(first.data).toHaveLength(String(second.data).length);
    again.say({});
    expect(await again.next()).toEqual({});
    // What was not acknowledged comes again.
    again.say({
      messageType: 'ack',
      updates: [{ channelID: 'channel-2', version: first.version, code: 100 }],
    });
    await again.close();
    const third = await connect({ uaid: browser.uaid });
    expect(await third.next()).toEqual(expect.objectContaining({ version: second.version }));
    await third.close();
  });

  it('refuses another key than that of the subscription, and is gone after the browser has unsubscribed', async () => {
    const browser = await connect();
    const endpoint = await browser.register('channel-3');
    expect(await push(endpoint, { by: webpush.generateVAPIDKeys() })).toBe(403);
    browser.say({ messageType: 'unregister', channelID: 'channel-3', code: 200 });
    expect(await browser.next()).toEqual({ messageType: 'unregister', channelID: 'channel-3', status: 200 });
    expect(await push(endpoint)).toBe(410);
    expect(await browser.register('channel-3')).not.toBe(endpoint);
    await browser.close();
  });

  it('gives a browser that it does not know another id, and nothing of the others', async () => {
    const known = await connect();
    const endpoint = await known.register('channel-4');
    const stranger = await connect({ uaid: 'f'.repeat(32) });
    expect(stranger.uaid).not.toBe('f'.repeat(32));
    stranger.say({ messageType: 'unregister', channelID: 'channel-4' });
    expect(await stranger.next()).toMatchObject({ status: 200 });
    expect(await push(endpoint)).toBe(201);
    expect(await known.next()).toMatchObject({ channelID: 'channel-4' });
    await Promise.all([known.close(), stranger.close()]);
  });

  it.each([
    ['another secret', '/nothing/browsers'],
    ['another path', undefined],
  ])('takes no connection with %s', async (_, path) => {
    const { origin } = new URL(simulator.controlUrl);
    const url = path === undefined ? `${simulator.controlUrl}/others` : `${origin}${path}`;
    const socket = new WebSocket(url.replace(/^http/, 'ws'));
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('401');
  });

  it('hangs up on who says anything before its greeting', async () => {
    const { controlUrl } = simulator.providers;
    const socket = new WebSocket(`${controlUrl.replace(/^http/, 'ws')}/browsers`);
    await once(socket, 'open');
    socket.send(JSON.stringify({ messageType: 'register', channelID: 'channel-5' }));
    await once(socket, 'close');
    expect(socket.readyState).toBe(WebSocket.CLOSED);
  });
});
