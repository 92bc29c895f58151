import { Bus } from '@carillon/bus';
import { replicasAsked, replicaTold, type ReplicaTold } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, type Type } from '@nestjs/common';
import { hindrancesOf } from './health';

/** Tells gateways that ask all replicas whether this one is ready, so that they can count replicas. */
export function replicaOf(service: string): Type {
  @Injectable()
  class Replica implements OnModuleInit, OnModuleDestroy {
    private stop = (): void => {};

    constructor(
      @Inject(Bus) private readonly bus: Bus,
      @Inject(Database) private readonly database: Database,
      @Inject(Projections) private readonly projections: Projections,
    ) {}

    onModuleInit(): void {
      this.stop = this.bus.onSignal(replicasAsked, (asked) => void this.tell(asked));
    }

    onModuleDestroy(): void {
      this.stop();
    }

    private async tell(asked: string): Promise<void> {
      const ready = (await hindrancesOf(this.database, this.projections)).length === 0;
      this.bus.signal(replicaTold, asked, { service, ready } satisfies ReplicaTold);
    }
  }
  return Replica;
}
