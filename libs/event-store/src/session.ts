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

/** The time within which a server must connect, and later answer each ping: as the official client. */
const silenceMs = 10_000;

/** A connection of our own to one node of the event store, over HTTP/2. A silent one is closed, by pings. */
export class StoreSession {
  /** False once the connection is lost: it needs a new one. */
  isOpen = true;
  isConnected = false;
  private readonly session: ClientHttp2Session;
  private readonly headers: Record<string, string>;
  private readonly heartbeat: NodeJS.Timeout;
  private heard = false;

  /** `node` is a host and a port. `connected` is called when calls can be made, `closed` once. */
  constructor(
    url: string,
    node: string,
    private readonly on: { connected?(): void; closed?(): void } = {},
  ) {
    const options = parseConnectionString(url);
    const { tls = true, connectionName, defaultCredentials } = options;
    this.headers = {
      ':method': 'POST',
      te: 'trailers',
      'content-type': 'application/grpc',
      'connection-name': connectionName ?? randomUUID(),
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
      on.connected?.();
    });
    // What went wrong is known to nobody but the log of the server; the end of the connection follows.
    this.session.on('error', () => {});
    this.session.on('close', () => this.close());
    this.heartbeat = setInterval(() => this.beat(), silenceMs);
    this.heartbeat.unref();
  }

  /**
   * Makes a call of a method of `event_store.client.streams.Streams`. `onEnded` is called once, with the headers that
   * tell how it ended, for `isComplete` and `errorOf`. Throws when the server takes no new calls on this connection.
   */
  call(
    method: string,
    headers: Readonly<Record<string, string>>,
    onEnded: (end: IncomingHttpHeaders) => void,
  ): ClientHttp2Stream {
    const path = `/event_store.client.streams.Streams/${method}`;
    const call = this.session.request({ ...this.headers, ':path': path, ...headers });
    let end: IncomingHttpHeaders = {};
    call.on('response', (given) => (end = given));
    call.on('trailers', (given) => (end = given));
    call.on('error', () => {});
    call.on('end', () => call.end());
    call.on('close', () => onEnded(end));
    return call;
  }

  /** Ends the connection and all of its calls. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearInterval(this.heartbeat);
    this.session.destroy();
    this.on.closed?.();
  }

  private beat(): void {
    if (!this.heard || this.session.destroyed) return this.close();
    this.heard = false;
    this.session.ping(() => (this.heard = true));
  }
}

/** Whether the server said that it has answered in full: a connection that was cut may look like the end. */
export const isComplete = (end: IncomingHttpHeaders): boolean => Number(end['grpc-status']) === status.OK;

/** The official client's error for the headers with which a call ended; `unavailable` where they do not say. */
export function errorOf(headers: IncomingHttpHeaders): Error {
  const code = Number(headers['grpc-status'] ?? status.UNAVAILABLE) || status.UNAVAILABLE;
  const details = String(headers['grpc-message'] ?? 'The event store ended the call');
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
