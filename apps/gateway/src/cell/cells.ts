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
import { sessionCookie } from '../session/cookie';

/** The cell that forwarded a request, so that two cells never forward it to each other. */
const forwardedBy = 'carillon-forwarded-by';
const refreshPath = '/api/session/refresh';
const connectMs = 5_000;
/** Longer than any wait. */
const answerMs = 90_000;
/** Headers of one connection; the host and the length are set anew. */
const ofConnection =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|host|content-length)$/;

/** Leads a request whose secret names another cell to that cell, before anything is looked up here. */
export class Cells {
  private readonly own = cell();
  private readonly others = otherCells();
  private readonly agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: 0,
  });
  private readonly streams = new Set<AbortController>();

  constructor(private readonly baseUrl: string) {}

  /** True when the request belongs to another cell: it is answered then, or will be. */
  leads(request: FastifyRequest, reply: FastifyReply): boolean {
    const secret = secretOf(request);
    // The checksum costs more than a look at one character.
    if (secret === undefined || secret.charAt(secret.indexOf('_', 9) + 1) === this.own) return false;
    const name = cellOfSecret(secret);
    if (name === undefined || name === this.own) return false;
    const address = this.others.get(name);
    if (address && request.headers[forwardedBy] === undefined) void this.forward(request, reply, address);
    else sendError(reply, wrongCell);
    return true;
  }

  /** Ends open event streams, which would last for as long as their clients like. */
  endStreams(): void {
    for (const stream of this.streams) stream.abort();
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async forward(request: FastifyRequest, reply: FastifyReply, { origin }: URL): Promise<void> {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      this.streams.delete(gone);
      gone.abort();
    });
    try {
      const answer = await ask(origin + request.originalUrl, {
        dispatcher: this.agent,
        method: request.method as 'GET',
        headers: this.headersFor(request, origin),
        body: Buffer.isBuffer(request.body) ? request.body : null,
        signal: gone.signal,
      });
      if (String(answer.headers['content-type']).startsWith('text/event-stream')) this.streams.add(gone);
      void reply.status(answer.statusCode).headers(withoutConnection(answer.headers)).send(answer.body);
    } catch (error) {
      if (!gone.signal.aborted) sendError(reply, fromRefusal(asRefusal(error)));
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

/** The secret that a request shows, wherever it is. */
function secretOf(request: FastifyRequest): string | undefined {
  const { secret, file } = request.params as { secret?: string; file?: string };
  switch (request.routeOptions.url) {
    case hookRow.path:
      return secret;
    case calendarRow.path:
      return file?.replace(/\.ics$/, '');
    case refreshPath:
      return refreshTokenIn(request.body);
    default:
      return bearer(request) ?? request.cookies[sessionCookie];
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

/** The cell did not get the request, or may have acted on it. */
const asRefusal = (error: unknown): Refused =>
  new Refused(
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(
      String(errorFieldsOf(error).code),
    )
      ? 'bus.unavailable'
      : timedOut,
  );
