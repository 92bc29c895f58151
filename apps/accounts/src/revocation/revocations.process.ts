import { Bus } from '@carillon/bus';
import type {
  DeviceDeactivated,
  DeviceRegistered,
  SessionEnded,
  SessionEndedSignal,
  TokenRevoked,
  TokenRevokedSignal,
} from '@carillon/contracts';
import { Feed, Projections } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

type Ending = TokenRevoked | SessionEnded | DeviceRegistered | DeviceDeactivated;

/** The token or session that has ended by this event. */
function endedBy({ event }: Recorded): string | undefined {
  const ending = event as Ending;
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
 * Tokens and sessions that have ended and whose rows may not say so yet. What this process reads of the log comes here
 * before it comes to rows, and who ends one tells all replicas; rows are asked for the rest.
 */
@Injectable()
export class Revocations implements OnModuleInit, OnModuleDestroy {
  private readonly ended = new Map<string, bigint>();
  private readonly stops: (() => void)[] = [];

  constructor(
    @Inject(Feed) private readonly feed: Feed,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  onModuleInit(): void {
    this.stops.push(
      this.feed.onEvent((recorded) => {
        const id = endedBy(recorded);
        if (id !== undefined) this.note(id, recorded.position);
      }),
      this.bus.onSignal<Partial<TokenRevokedSignal>>('token.revoked', (id, { position }) =>
        this.note(id, BigInt(position ?? this.feed.position)),
      ),
      this.bus.onSignal<SessionEndedSignal>('session.ended', (id, { position }) =>
        this.note(id, BigInt(position)),
      ),
    );
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  /** Whether the token or session has ended, whatever its row says. */
  has(id: string): boolean {
    return this.ended.has(id);
  }

  /** Tells all replicas. */
  tellToken(tokenId: string, position: bigint): void {
    this.note(tokenId, position);
    const signal: TokenRevokedSignal = { tokenId, position: String(position) };
    this.bus.signal('token.revoked', tokenId, signal);
  }

  /** Tells all replicas. */
  tellSession(sessionId: string, position: bigint): void {
    this.note(sessionId, position);
    const signal: SessionEndedSignal = { sessionId, position: String(position) };
    this.bus.signal('session.ended', sessionId, signal);
  }

  private note(id: string, position: bigint): void {
    // Oldest first: what the rows say by now need not be kept beside them.
    for (const [known, at] of this.ended) {
      if (!this.projections.has('tokens', at) || !this.projections.has('sessions', at)) break;
      this.ended.delete(known);
    }
    this.ended.set(id, position);
  }
}
