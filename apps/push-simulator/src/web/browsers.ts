import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Exchange } from '../exchange.js';
import { number, object, parse, text } from '../json.js';
import type { Channel, WaitingMessage } from '../phone/browser.js';
import { type Phone, uninstall } from '../phone/phone.js';
import type { Received } from '../received.js';
import type { WebAccepted } from './judge.js';

const longestMessage = 65_536;
/** The code of an acknowledgement: a worker got the message. */
const takenByWorker = 100;

/**
 * The push service of real browsers, in the protocol that Firefox speaks with its own: each subscription is a phone,
 * whose messages go to the browser as they came, since the browser alone can decrypt them.
 */
export class Browsers {
  private readonly server = new WebSocketServer({ noServer: true, maxPayload: longestMessage });
  private readonly connected = new Map<string, WebSocket>();

  constructor(private readonly exchange: Exchange) {}

  /** Takes a connection that asks to become a WebSocket. */
  connect(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.server.handleUpgrade(request, socket, head, (connection) => {
      let browserId: string | undefined;
      connection.on('error', () => {});
      connection.on('message', (data) => {
        const message = object(parse(String(data)));
        if (message?.messageType === 'hello') browserId = this.greet(connection, message);
        else if (message && browserId !== undefined) this.take(connection, browserId, message);
        else connection.close();
      });
      connection.on('close', () => {
        if (browserId !== undefined && this.connected.get(browserId) === connection)
          this.connected.delete(browserId);
      });
    });
  }

  close(): void {
    for (const connection of this.server.clients) connection.terminate();
  }

  /** Gives an accepted message to the browser, or keeps it until the browser is back. */
  deliver(phone: Phone, { browser, seconds, topic }: WebAccepted, body: Buffer, record: Received): void {
    const connection = browser.channel && this.connected.get(browser.channel.browserId);
    this.exchange.received.add(phone.id, record);
    if (!connection && seconds === 0) {
      record.why = 'dropped: the browser is not connected and the push is not to be stored';
      return;
    }
    record.why = connection ? 'sent to the browser' : 'stored: the browser is not connected';
    const kept = browser.waiting.filter((other) => topic === undefined || other.topic !== topic);
    browser.waiting = [
      ...kept,
      {
        version: randomBytes(12).toString('base64url'),
        n: record.n,
        topic,
        until: this.exchange.now() + seconds * 1000,
        data: body.toString('base64url'),
      },
    ];
    this.exchange.phones.changed();
    if (connection) this.send(connection, phone, browser.waiting.slice(-1));
  }

  private greet(connection: WebSocket, message: Record<string, unknown>): string {
    const { phones } = this.exchange;
    const given = text(message.uaid);
    const isKnown = phones.list().some(({ browser }) => browser?.channel?.browserId === given);
    const browserId = given !== undefined && isKnown ? given : randomBytes(16).toString('hex');
    this.connected.get(browserId)?.terminate();
    this.connected.set(browserId, connection);
    say(connection, {
      messageType: 'hello',
      uaid: browserId,
      status: 200,
      use_webpush: true,
      broadcasts: {},
    });
    for (const phone of phones.list()) {
      const { browser } = phone;
      if (browser?.channel?.browserId !== browserId) continue;
      browser.waiting = browser.waiting.filter(({ until }) => until > this.exchange.now());
      this.send(connection, phone, browser.waiting);
    }
    return browserId;
  }

  private take(connection: WebSocket, browserId: string, message: Record<string, unknown>): void {
    const { messageType } = message;
    const channelId = text(message.channelID);
    // A sign of life.
    if (messageType === undefined) return say(connection, {});
    if (messageType === 'broadcast_subscribe') return;
    if (messageType === 'register' && channelId !== undefined) {
      const { browser } =
        this.find(browserId, channelId) ?? this.subscribe({ browserId, channelId }, text(message.key));
      return say(connection, {
        messageType,
        channelID: channelId,
        status: 200,
        pushEndpoint: browser?.endpoint,
      });
    }
    if (messageType === 'unregister' && channelId !== undefined) {
      this.unsubscribe(browserId, channelId);
      return say(connection, { messageType, channelID: channelId, status: 200 });
    }
    if (messageType === 'ack' || messageType === 'nack') {
      const updates = Array.isArray(message.updates) ? message.updates : [message];
      for (const update of updates.map(object)) this.acknowledge(browserId, update ?? {});
      return;
    }
    this.exchange.log({ msg: 'message of a browser not understood', messageType });
    connection.close();
  }

  private subscribe(channel: Channel, serverKey: string | undefined): Phone {
    // Firefox pads it, which the header of a push does not.
    const key = serverKey?.replace(/=+$/, '');
    const phone = this.exchange.phones.create({ platform: 'web', channel, serverKey: key });
    this.exchange.log({ msg: 'browser subscribed', phoneId: phone.id });
    return phone;
  }

  private unsubscribe(browserId: string, channelId: string): void {
    const { phones } = this.exchange;
    const phone = this.find(browserId, channelId);
    if (!phone) return;
    uninstall(phone, this.exchange.now());
    phones.index();
    phones.changed();
    this.exchange.log({ msg: 'browser unsubscribed', phoneId: phone.id });
  }

  private acknowledge(browserId: string, update: Record<string, unknown>): void {
    const { phones, received } = this.exchange;
    for (const phone of phones.list()) {
      const { browser } = phone;
      const message = browser?.waiting.find(({ version }) => version === update.version);
      if (!browser || browser.channel?.browserId !== browserId || !message) continue;
      browser.waiting = browser.waiting.filter((other) => other !== message);
      phones.changed();
      const record = received.find(phone.id, message.n);
      if (!record) return;
      record.shown = update.code === takenByWorker;
      record.why = record.shown ? undefined : `the browser answered ${number(update.code)}`;
    }
  }

  private find(browserId: string, channelId: string): Phone | undefined {
    return this.exchange.phones
      .list()
      .find(
        ({ browser, uninstalledAt }) =>
          uninstalledAt === undefined &&
          browser?.channel?.browserId === browserId &&
          browser.channel.channelId === channelId,
      );
  }

  private send(connection: WebSocket, { browser }: Phone, messages: readonly WaitingMessage[]): void {
    for (const { version, until, data } of messages)
      say(connection, {
        messageType: 'notification',
        channelID: browser?.channel?.channelId,
        version,
        ttl: Math.max(0, Math.floor((until - this.exchange.now()) / 1000)),
        data,
        headers: { encoding: 'aes128gcm' },
      });
  }
}

const say = (connection: WebSocket, message: object): void => connection.send(JSON.stringify(message));
