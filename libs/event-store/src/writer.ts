import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError.js';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { Metadata, status } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { type Acknowledged, type AppendRequest, batchAnswer, batchFrames, Messages } from './batch-append';
import { TookTooLong } from './within';

/** The time within which a server must connect, and later answer each ping: as the official client. */
const silenceMs = 10_000;

/** An append whose caller waits for it. */
export interface Awaited {
  /** The caller no longer waits. */
  readonly over: boolean;
  /** The request may have reached the store. */
  sent: boolean;
}

interface Append {
  readonly id: string;
  readonly frames: Buffer;
  readonly caller: Awaited;
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends to one node of the event store, over a connection of its own and one open BatchAppend call. What one turn of
 * the event loop appends goes out in one write, so that the store flushes it in one commit. The official client sends
 * its next append when the write of the last one has completed, in a later turn.
 */
export class Writer {
  /** False once the connection is lost: it needs a new writer. */
  isOpen = true;
  private readonly session: ClientHttp2Session;
  private readonly headers: Record<string, string>;
  private readonly heartbeat: NodeJS.Timeout;
  private isConnected = false;
  private heard = false;
  private call: ClientHttp2Stream | undefined;
  /** Appends that the current call has sent, by correlation id. */
  private readonly sent = new Map<string, Append>();
  private outbox: Append[] = [];
  private flushing = false;

  /** `node` is a host and a port. */
  constructor(url: string, node: string) {
    const options = parseConnectionString(url);
    const { tls = true, connectionName, defaultCredentials } = options;
    this.headers = {
      ':method': 'POST',
      ':path': '/event_store.client.streams.Streams/BatchAppend',
      te: 'trailers',
      'content-type': 'application/grpc',
      'connection-name': connectionName ?? randomUUID(),
      // Another node would pass each append on to the leader, and not say that it does not lead.
      'requires-leader': 'true',
    };
    // As the official client: credentials are never sent in clear text.
    if (tls && defaultCredentials) {
      const { username, password } = defaultCredentials;
      this.headers['authorization'] = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    this.session = connect(`${tls ? 'https' : 'http'}://${node}`, tls ? certificates(options) : {});
    this.session.on('remoteSettings', () => {
      this.isConnected = true;
      this.heard = true;
      this.flush();
    });
    // What went wrong is known to nobody but the log of the server; the end of the connection follows.
    this.session.on('error', () => {});
    this.session.on('close', () => this.close());
    this.heartbeat = setInterval(() => this.beat(), silenceMs);
    this.heartbeat.unref();
  }

  /** Rejects with the errors of the official client, and with `TookTooLong` when the caller left before it was sent. */
  async append(request: AppendRequest, caller: Awaited): Promise<Acknowledged> {
    if (!this.isOpen) throw errorOf({});
    const id = randomUUID();
    const frames = batchFrames(id, request);
    return new Promise((resolve, reject) => {
      this.outbox.push({ id, frames, caller, resolve, reject });
      this.flushSoon();
    });
  }

  /** The outcome of the appends under way is unknown then. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearInterval(this.heartbeat);
    this.session.destroy();
    const unavailable = errorOf({});
    for (const { reject } of [...this.sent.values(), ...this.outbox]) reject(unavailable);
    this.sent.clear();
    this.outbox = [];
  }

  private beat(): void {
    if (!this.heard || this.session.destroyed) return this.close();
    this.heard = false;
    this.session.ping(() => (this.heard = true));
  }

  /** Sends at the end of this turn of the event loop what was appended until then. */
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    // It comes again when the connection is made, what was written is gone, or the call has closed.
    if (!this.isConnected || this.call?.writableNeedDrain || this.call?.writable === false) return;
    const appends = this.outbox.filter(({ caller }) => !caller.over);
    for (const { caller, reject } of this.outbox) if (caller.over) reject(new TookTooLong());
    this.outbox = appends;
    if (appends.length === 0) return;
    try {
      this.call ??= this.open();
    } catch {
      // The server takes no new calls on this connection.
      return this.close();
    }
    this.outbox = [];
    for (const append of appends) {
      append.caller.sent = true;
      this.sent.set(append.id, append);
    }
    this.call.write(Buffer.concat(appends.map(({ frames }) => frames)));
  }

  private open(): ClientHttp2Stream {
    const call = this.session.request(this.headers);
    const messages = new Messages();
    /** The headers that tell how the call ended. */
    let end: IncomingHttpHeaders = {};
    call.on('response', (headers) => (end = headers));
    call.on('trailers', (headers) => (end = headers));
    call.on('data', (chunk: Buffer) => {
      try {
        for (const message of messages.in(chunk)) this.settle(message);
      } catch {
        // Not the protocol that was agreed on: nobody can tell which append is meant.
        this.close();
      }
    });
    call.on('drain', () => this.flush());
    call.on('error', () => {});
    call.on('end', () => call.end());
    call.on('close', () => {
      if (this.call !== call) return;
      this.call = undefined;
      const error = errorOf(end);
      for (const { reject } of this.sent.values()) reject(error);
      this.sent.clear();
      this.flush();
    });
    return call;
  }

  private settle(message: Buffer): void {
    const { id, outcome } = batchAnswer(message);
    const append = this.sent.get(id);
    this.sent.delete(id);
    if (outcome instanceof Error) append?.reject(outcome);
    else append?.resolve(outcome);
  }
}

/** The official client's error for the headers with which a call ended; `unavailable` where they do not say. */
function errorOf(headers: IncomingHttpHeaders): Error {
  const code = Number(headers['grpc-status'] ?? status.UNAVAILABLE) || status.UNAVAILABLE;
  const details = String(headers['grpc-message'] ?? 'The event store ended the call of appends');
  const ended = Object.assign(new Error(details), { code, details });
  try {
    return convertToCommandError(Object.assign(ended, { metadata: Metadata.fromHttp2Headers(headers) }));
  } catch {
    // Its trailers lack what belongs to their kind of error.
    return convertToCommandError(Object.assign(ended, { metadata: new Metadata() }));
  }
}

type ConnectionOptions = ReturnType<typeof parseConnectionString>;

function certificates({
  tlsCAFile,
  userCertFile,
  userKeyFile,
}: ConnectionOptions): SecureClientSessionOptions {
  return {
    ...(tlsCAFile && { ca: readFileSync(tlsCAFile) }),
    ...(userCertFile && { cert: readFileSync(userCertFile) }),
    ...(userKeyFile && { key: readFileSync(userKeyFile) }),
  };
}
