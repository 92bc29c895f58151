import { Bus } from '@carillon/bus';
import {
  replicasAsked,
  replicaTold,
  type ReplicaTold,
  type TransportOutcomes,
  transportsTold,
  type TransportsTold,
} from '@carillon/contracts';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long replicas have to answer. Nobody knows how many there are, so all of it is waited for. */
const answerMs = 500;

interface Told {
  readonly replicas: ReplicaTold[];
  readonly transports: TransportOutcomes[];
}

/** Asks all replicas of all services at once, by a signal that each of them answers with another. */
@Injectable()
export class Replicas implements OnModuleInit, OnModuleDestroy {
  private readonly asked = new Map<string, Told>();
  private stops: readonly (() => void)[] = [];

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  onModuleInit(): void {
    this.stops = [
      this.bus.onSignal<ReplicaTold>(replicaTold, (id, told) => this.asked.get(id)?.replicas.push(told)),
      this.bus.onSignal<TransportsTold>(transportsTold, (id, { transports }) =>
        this.asked.get(id)?.transports.push(...transports),
      ),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  async ask(): Promise<Told> {
    const [id, told]: [string, Told] = [randomUUID(), { replicas: [], transports: [] }];
    this.asked.set(id, told);
    this.bus.signal(replicasAsked, id);
    await sleep(answerMs);
    this.asked.delete(id);
    return told;
  }
}
