import type { Logger } from 'pino';
import type { CarillonAnswer } from '../carillon/answer';
import type { Carillon, Heartbeat } from '../carillon/carillon.client';
import { type ServedConnector, connectorIn } from '../carillon/connector';
import type { Targets } from '../routing/targets';
import { isReachable } from './probe.client';

/** Delay of a retry. Carillon treats the connector as offline after 90 s, so a failed heartbeat is repeated soon. */
const againMs = 5_000;

/** Sends heartbeats to Carillon, and receives the routes with the answers. */
export class Heart {
  private known: ServedConnector | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly carillon: Pick<Carillon, 'connector' | 'heartbeat'>,
    private readonly agentVersion: string,
    private readonly log: Logger,
    private readonly targets: Targets,
  ) {}

  /** The last configuration from Carillon; undefined before the first. */
  get connector(): ServedConnector | undefined {
    return this.known;
  }

  /**
   * Starts the heartbeats. Returns the reason when Carillon refuses the program; retries while Carillon is unreachable.
   */
  async start(): Promise<string | undefined> {
    const answer = await this.carillon.connector();
    if (answer.kind === 'no') return `${answer.code} (status ${answer.status})`;
    this.take(answer);
    void this.beat();
    return undefined;
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async beat(): Promise<void> {
    const answer = await this.carillon.heartbeat({
      agentVersion: this.agentVersion,
      routes: await this.health(),
    });
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.beat(), this.take(answer));
  }

  private async health(): Promise<Heartbeat['routes']> {
    const routes = this.known?.routes ?? [];
    return Promise.all(
      routes.map(async ({ name, target }) => ({ name, healthy: await isReachable(target, this.targets) })),
    );
  }

  /** Handles an answer. Returns the delay of the next heartbeat in milliseconds. */
  private take(answer: CarillonAnswer): number {
    if (answer.kind === 'away') {
      this.log.warn(
        { why: answer.why },
        'Carillon is unreachable: the connector keeps its last known state and tries again',
      );
      return againMs;
    }
    if (answer.kind === 'busy') {
      this.log.warn(
        { retryAfterSeconds: answer.retryAfterSeconds },
        'Carillon answered 429: the next heartbeat waits',
      );
      return Math.max(againMs, answer.retryAfterSeconds * 1000);
    }
    if (answer.kind === 'no') {
      this.log.error({ code: answer.code }, 'Carillon rejected the heartbeat: check the connector token');
      return againMs;
    }
    const connector = connectorIn(answer.body);
    if (!connector) {
      this.log.error({}, 'Carillon sent a connector configuration that is not valid: kept the last good one');
      return againMs;
    }
    if (JSON.stringify(connector) !== JSON.stringify(this.known)) {
      this.known = connector;
      this.log.info(
        { hostname: connector.hostname, routes: connector.routes.map(({ name }) => name) },
        'Connector configuration received',
      );
    }
    const seconds = answer.body['heartbeatIntervalSeconds'];
    return typeof seconds === 'number' && seconds >= 1 && seconds <= 60 ? seconds * 1000 : againMs;
  }
}
