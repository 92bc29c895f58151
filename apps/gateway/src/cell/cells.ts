import { timedOut } from '@carillon/bus';
import { errorFieldsOf, Refused } from '@carillon/eventing';
import { cell, otherCells } from '@carillon/runtime';
import { cellOfSecret } from '@carillon/signing';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Agent, request as ask } from 'undici';
import { bearer } from '../access/bearer';
import { calendarRow } from '../calendar/calendar.controller';
import { sendError } from '../errors/error-filter';
import { fromRefusal } from '../errors/refusals';
import { wrongCell } from '../errors/wrong-cell';
import { hookRow } from '../hook/hook.controller';
import type { Capacity } from '../rate/capacity';
import { mcpPath } from '../oauth/protected-resource';
import { type Row, rowName } from '../request/row';
import { clearSessionCookie, sessionCookie } from '../session/cookie';
import { streamRow } from '../stream/stream.controller';
import { messagesRow } from '../wait/messages.controller';
import { waitRow } from '../wait/wait.controller';

/** The cell that forwarded a request, so that two cells never forward it to each other. */
const forwardedBy = 'carillon-forwarded-by';
/** Errors before a request is sent: no connection, or no trusted certificate. */
const notConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|DEPTH_|SELF_|UNABLE_TO_)/;
/** Routes whose answers may take as long as a person does. */
const held: ReadonlySet<string> = new Set([waitRow.path, messagesRow.path, streamRow.path, mcpPath]);
const refreshPath = '/api/session/refresh';
const connectMs = 5_000;
/** Longer than any wait. */
const answerMs = 90_000;
/** Headers of one connection; the host and the length are set anew. */
const ofConnection =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|host|content-length)$/;

/** Leads a request whose secret names another cell to that cell, before anything is looked up here. */
export class Cells {
  private readonly credentialed: ReadonlySet<string>;
  private readonly own = cell();
  private readonly others = otherCells();
  private readonly agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: 0,
  });
  /** The forwarded requests that are held open, by the path of their route. */
  private readonly held = new Map<AbortController, string>();
  private isStopping = false;

  constructor(
    private readonly baseUrl: string,
    rows: readonly Row[],
    private readonly capacity: Capacity,
  ) {
    this.credentialed = new Set(rows.filter(({ access }) => access !== 'public').map(rowName));
  }

  /** How many requests of a route are held open. */
  size(path: string): number {
    return [...this.held.values()].filter((each) => each === path).length;
  }

  /** True when the request belongs to another cell: it is answered then, or will be. */
  leads(request: FastifyRequest, reply: FastifyReply): boolean {
    const secret = this.secretOf(request);
    // The checksum costs more than a look at one character.
    if (secret === undefined || secret.charAt(secret.indexOf('_', 9) + 1) === this.own) return false;
    const name = cellOfSecret(secret);
    if (name === undefined || name === this.own) return false;
    const address = this.others.get(name);
    if (address && request.headers[forwardedBy] === undefined) void this.forward(request, reply, address);
    else {
      // A browser would show the cookie again, and its person could not sign in here.
      clearSessionCookie({ reply, byCookie: secret === request.cookies[sessionCookie] });
      sendError(reply, wrongCell);
    }
    return true;
  }

  /** Ends waits and event streams, also those that come later, so that their clients go to another gateway. */
  endHeld(): void {
    this.isStopping = true;
    for (const each of this.held.keys()) each.abort();
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** The secret that a request shows, wherever its route takes it from. A left cookie is none for a sign-in. */
  private secretOf(request: FastifyRequest): string | undefined {
    const { secret, file } = request.params as { secret?: string; file?: string };
    const { url: path = '' } = request.routeOptions;
    switch (path) {
      case hookRow.path:
        return secret;
      case calendarRow.path:
        return file?.replace(/\.ics$/, '');
      case refreshPath:
        return refreshTokenIn(request.body);
      default:
        return this.credentialed.has(rowName({ method: request.method as Row['method'], path }))
          ? (bearer(request) ?? request.cookies[sessionCookie])
          : undefined;
    }
  }

  private async forward(request: FastifyRequest, reply: FastifyReply, { origin }: URL): Promise<void> {
    const gone = new AbortController();
    const path = request.routeOptions.url ?? '';
    const isHeld = held.has(path);
    try {
      const release = isHeld ? this.capacity.take(reply) : (): void => {};
      if (isHeld) this.held.set(gone, path);
      reply.raw.once('close', () => {
        release();
        this.held.delete(gone);
        gone.abort();
      });
      if (isHeld && this.isStopping) gone.abort();
      const answer = await ask(origin + request.originalUrl, {
        dispatcher: this.agent,
        method: request.method as 'GET',
        headers: this.headersFor(request, origin),
        body: Buffer.isBuffer(request.body) ? request.body : null,
        signal: gone.signal,
      });
      void reply.status(answer.statusCode).headers(withoutConnection(answer.headers)).send(answer.body);
    } catch (error) {
      if (!reply.raw.closed)
        sendError(reply, fromRefusal(isHeld && this.isStopping ? stopping : asRefusal(error)));
    }
  }

  /** A page of this cell's own origin is one of the other cell's too. */
  private headersFor(request: FastifyRequest, origin: string): Record<string, string | string[]> {
    const { origin: page } = request.headers;
    return {
      ...withoutConnection(request.headers),
      ...(page === new URL(this.baseUrl).origin && { origin }),
      'x-request-id': request.id,
      'x-forwarded-for': request.ip,
      [forwardedBy]: this.own,
    };
  }
}

function refreshTokenIn(body: unknown): string | undefined {
  try {
    const { refreshToken } = JSON.parse(String(body)) as { refreshToken?: unknown };
    return typeof refreshToken === 'string' ? refreshToken : undefined;
  } catch {
    return undefined;
  }
}

const withoutConnection = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !ofConnection.test(entry[0]),
    ),
  );

const stopping = new Refused('bus.unavailable');

/** The cell did not get the request, or may have acted on it. */
const asRefusal = (error: unknown): Refused => {
  if (error instanceof Refused) return error;
  return new Refused(notConnected.test(String(errorFieldsOf(error).code)) ? 'bus.unavailable' : timedOut);
};
