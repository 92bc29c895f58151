import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refusalAnswer } from '../refusal/refusal-answer';
import type { AnsweredRefusal } from '../refusal/refusal';

/** How long an unwanted body is still read, so that its sender gets the answer before the connection is cut. */
const unwantedMs = 10_000;

/** One running request or WebSocket, with its client side and its app side. */
export class Exchange {
  /** The app, or the program itself, has begun to answer. */
  answered = false;
  over = false;
  /** The connection to the app, once there is one. */
  upstream: ClientRequest | undefined;
  retried = false;
  route = '';
  /** The exchange has no end of its own: a WebSocket, a stream of events. */
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

  /** Runs when the exchange is over, however it ends. */
  after(task: () => void): void {
    if (this.over) task();
    else this.afterwards.push(task);
  }

  /** True when the client has sent nothing and the app has not answered for this time. */
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

  /** Refuses the request where no answer has begun; else ends the exchange. */
  refuse(refusal: AnsweredRefusal): void {
    if (this.answered || this.over) return this.destroy();
    const { status, headers, body } = refusalAnswer(refusal, this.request.headers.accept);
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
