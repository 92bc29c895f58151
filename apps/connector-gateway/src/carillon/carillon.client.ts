import { type CarillonAnswer, answerOf, answersIn } from './answer';

export interface RouteUse {
  readonly route: string;
  readonly method: string;
  readonly path: string;
}

/** A session, and the name of the route that it is for. */
export interface RouteSession {
  readonly session: string;
  readonly route: string;
}

export interface Callback {
  readonly deliveryId: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly bodySha256: string;
}

export interface Heartbeat {
  readonly agentVersion: string;
  readonly routes: readonly { readonly name: string; readonly healthy: boolean }[];
}

/** Timeout of a request: a later answer lets nobody in. */
const answerWithinMs = 4_000;

/** The requests of the program to Carillon: only the Agent API, with its token. */
export class Carillon {
  private awaySince: number | undefined;
  /** Until when visitors and callbacks are not checked, because the rate limit of the token is used up. */
  private busyUntil = -Infinity;

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly connectorId: string,
  ) {}

  /** For how long Carillon has not answered. */
  get awaySeconds(): number {
    return this.awaySince === undefined ? 0 : Math.floor((performance.now() - this.awaySince) / 1000);
  }

  /** For how long visitors and callbacks are not checked; 0 while they are. */
  get busySeconds(): number {
    return Math.max(0, Math.ceil((this.busyUntil - performance.now()) / 1000));
  }

  connector(): Promise<CarillonAnswer> {
    return this.ask('GET', '');
  }

  heartbeat(beat: Heartbeat): Promise<CarillonAnswer> {
    return this.ask('POST', '/heartbeat', beat);
  }

  redeem(pass: string, access: RouteUse): Promise<CarillonAnswer> {
    return this.askUnlessBusy('/access', { pass, ...cut(access) });
  }

  revalidate(session: string, access: RouteUse): Promise<CarillonAnswer> {
    return this.askUnlessBusy('/access', { session, ...cut(access) });
  }

  /** Asks about up to 50 sessions at once; gives an answer for each, in the same order. */
  async revalidateAll(sessions: readonly RouteSession[]): Promise<readonly CarillonAnswer[]> {
    return answersIn(await this.askUnlessBusy('/access/revalidate', { sessions }), sessions.length);
  }

  callback(callback: Callback): Promise<CarillonAnswer> {
    return this.askUnlessBusy('/callback-access', callback);
  }

  private async askUnlessBusy(path: string, body: object): Promise<CarillonAnswer> {
    const { busySeconds } = this;
    if (busySeconds > 0) return { kind: 'busy', retryAfterSeconds: busySeconds };
    const answer = await this.ask('POST', path, body);
    if (answer.kind === 'busy') this.busyUntil = performance.now() + answer.retryAfterSeconds * 1000;
    return answer;
  }

  private async ask(method: string, path: string, body?: object): Promise<CarillonAnswer> {
    const answer = await this.answer(
      method,
      `${this.baseUrl}/api/agent/connectors/${this.connectorId}${path}`,
      body,
    );
    if (answer.kind !== 'away') this.awaySince = undefined;
    else this.awaySince ??= performance.now();
    return answer;
  }

  private async answer(method: string, url: string, body: object | undefined): Promise<CarillonAnswer> {
    try {
      const response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(answerWithinMs),
      });
      return answerOf(response.status, await response.text(), response.headers.get('retry-after'));
    } catch (error) {
      return { kind: 'away', why: reasonOf(error) };
    }
  }
}

/** As much of it as the Agent API takes. */
const cut = ({ route, method, path }: RouteUse): RouteUse => ({
  route,
  method: method.slice(0, 10),
  path: path.slice(0, 2048),
});

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error.name === 'TimeoutError' ? `no answer after ${answerWithinMs / 1000} s` : error.message;
}
