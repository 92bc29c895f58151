import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pageOf } from '../page/html-page';
import type { PageRefusal } from '../page/refusal';

/** A body that nobody wants is taken for so long, so that its sender reads the answer before it is cut off. */
const unwantedMs = 10_000;

/** One request under way, or one WebSocket: what the client has of it, and what the app has. */
export class Exchange {
  /** The app, or the program itself, has begun to answer. */
  answered = false;
  over = false;
  /** The connection to the app, once there is one. */
  upstream: ClientRequest | undefined;
  retried = false;
  route = '';
  /** It goes on until somebody ends it: a WebSocket, a stream of events. */
  endless = false;
  private readonly afterwards: (() => void)[] = [];
  private bytes = -1;
  private silentSince = 0;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly isUpgrade: boolean,
  ) {
    const end = (): void => {
      this.over = true;
      this.upstream?.destroy();
      for (const each of this.afterwards.splice(0)) each();
    };
    if (isUpgrade) this.socket.once('close', end).on('error', () => {});
    else response.once('close', end);
  }

  get socket(): Socket {
    return this.request.socket;
  }

  /** Done when it is over, however it ends. */
  after(task: () => void): void {
    if (this.over) task();
    else this.afterwards.push(task);
  }

  /** True when nothing has come from the client and the app has not answered for so long. */
  isSilent(now: number, forMs: number): boolean {
    if (this.answered) return false;
    const { bytesRead } = this.socket;
    if (bytesRead !== this.bytes) Object.assign(this, { bytes: bytesRead, silentSince: now });
    return now - this.silentSince >= forMs;
  }

  /** True when the client has sent all that there is, or would if the app took it. */
  get waitsForApp(): boolean {
    return this.request.complete || this.upstream?.writableNeedDrain === true;
  }

  get hasBody(): boolean {
    const { headers } = this.request;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  }

  /** Says no, where nothing has been said yet; else ends it. */
  refuse(refusal: PageRefusal): void {
    if (this.answered || this.over) return this.destroy();
    const { status, headers, body } = pageOf(refusal, this.request.headers.accept);
    this.answer(status, { ...headers, ...(status === 408 && { connection: 'close' }) }, body);
    this.upstream?.destroy();
  }

  /** An answer of the program itself. */
  answer(status: number, headers: Readonly<Record<string, string>>, body = ''): void {
    this.answered = true;
    const { request, response, socket } = this;
    if (this.isUpgrade) {
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once('finish', () => socket.end());
    } else if (this.hasBody && !request.complete)
      setTimeout(() => request.complete || socket.destroy(), unwantedMs).unref();
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  }

  destroy(): void {
    this.upstream?.destroy();
    this.socket.destroy();
  }
}
