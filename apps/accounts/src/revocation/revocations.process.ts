import { Bus } from '@carillon/bus';
import type {
  DeviceDeactivated,
  DeviceRegistered,
  EndedSignal,
  SessionEnded,
  TokenRevoked,
} from '@carillon/contracts';
import { Feed, Log, Projections } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { LOGGER, type Logger } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** Streams whose events end tokens and sessions. */
const streamForm = /^(token|session|device)-[0-9a-z]+$/;
/** Maximum number of concurrent lookups, so that signals cannot cause unlimited reads. The feed brings the others. */
const maxLooks = 1_000;

type RevocationEvent = TokenRevoked | SessionEnded | DeviceRegistered | DeviceDeactivated;
const revocationTypes: ReadonlySet<string> = new Set<RevocationEvent['type']>([
  'TokenRevoked',
  'SessionEnded',
  'DeviceRegistered',
  'DeviceDeactivated',
]);

/** The token or session that has ended by this event (ADR 23). */
function endedBy({ event }: Recorded): string | undefined {
  const ending = event as RevocationEvent;
  switch (ending.type) {
    case 'TokenRevoked':
      return ending.tokenId;
    case 'SessionEnded':
      return ending.sessionId;
    case 'DeviceRegistered':
    case 'DeviceDeactivated':
      return ending.endedSessionId;
    default:
      return undefined;
  }
}

/**
 * Tokens and sessions that have ended but whose rows may not say so yet. Events of the feed arrive here before they
 * reach the rows, and a replica that ends one signals its event to all replicas; the rows have the older ones.
 */
@Injectable()
export class Revocations implements OnModuleInit, OnModuleDestroy {
  private readonly ended = new Map<string, bigint>();
  /** Running lookups of the events that signals named, by token or session. */
  private readonly looks = new Map<string, Promise<void>>();
  private readonly stops: (() => void)[] = [];

  constructor(
    @Inject(Feed) private readonly feed: Feed,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.stops.push(
      this.feed.want((_category, type) => revocationTypes.has(type), {
        categories: ['token', 'session', 'device'],
      }),
      this.feed.onEvent((recorded) => {
        const id = endedBy(recorded);
        if (id !== undefined) this.note(id, recorded.position);
      }),
      this.bus.onSignal<EndedSignal>('token.revoked', (id, said) => this.heard(id, said)),
      this.bus.onSignal<EndedSignal>('session.ended', (id, said) => this.heard(id, said)),
    );
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  /** Whether the token or session has ended, whatever its row says. */
  async has(id: string): Promise<boolean> {
    await this.looks.get(id);
    return this.ended.has(id);
  }

  /** Tells all replicas of the event that has ended a token. */
  tellToken(id: string, ended: { readonly position: bigint; readonly revision: bigint }): void {
    this.note(id, ended.position);
    const signal: EndedSignal = { stream: `token-${streamTail(id)}`, revision: String(ended.revision) };
    this.bus.signal('token.revoked', id, signal);
  }

  /** Tells all replicas of the event that has ended a session. */
  tellSession(id: string, ended: { readonly position: bigint; readonly revision: bigint }): void {
    this.note(id, ended.position);
    const signal: EndedSignal = { stream: `session-${streamTail(id)}`, revision: String(ended.revision) };
    this.bus.signal('session.ended', id, signal);
  }

  private heard(id: string, { stream, revision }: EndedSignal): void {
    if (!streamForm.test(stream) || this.looks.size >= maxLooks || this.ended.has(id)) return;
    const look = this.look(id, stream, BigInt(revision))
      .catch((error: unknown) =>
        this.logger.warn(
          { err: error },
          'Failed to read the event of a revocation signal: the event feed brings the revocation later',
        ),
      )
      .finally(() => {
        if (this.looks.get(id) === look) this.looks.delete(id);
      });
    this.looks.set(id, look);
  }

  /** A signal only wakes: the log says what has ended. */
  private async look(id: string, stream: string, revision: bigint): Promise<void> {
    for (const recorded of await this.log.open(await this.log.store.read(stream, revision, 1)))
      if (endedBy(recorded) === id) this.note(id, recorded.position);
  }

  private note(id: string, position: bigint): void {
    // Oldest first: an end that the rows contain by now need not be kept here.
    for (const [known, at] of this.ended) {
      if (!this.projections.has('tokens', at) || !this.projections.has('sessions', at)) break;
      this.ended.delete(known);
    }
    this.ended.set(id, position);
  }
}
