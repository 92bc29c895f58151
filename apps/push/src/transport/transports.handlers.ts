import { answer, type Answer, Bus, type Context, Handles, insistOnOperator } from '@carillon/bus';
import {
  AccountsOf,
  Nothing,
  Push,
  replicasAsked,
  type TransportOutcomes,
  transportsTold,
  type TransportsTold,
} from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { pushAttemptSeconds } from '@carillon/metrics';
import { Controller, Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { OutcomeClass, Provider } from './transport';

const providers: Readonly<Record<string, Provider>> = { ios: 'apns', android: 'fcm', web: 'web' };
const refusedClasses: readonly OutcomeClass[] = [
  'config',
  'config_doubtful',
  'token_dead',
  'token_suspect',
  'rejected',
];
/** So many waiting pushes are counted. */
const most = 100_000;

/** For an operator: attempts by provider, from the metric of this process, and what waits, from the rows. */
@Controller()
export class TransportsHandlers implements OnModuleInit, OnModuleDestroy {
  private stop = (): void => {};

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Database) private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.stop = this.bus.onSignal(replicasAsked, (asked) => void this.tell(asked));
  }

  onModuleDestroy(): void {
    this.stop();
  }

  @Handles(Push.queued)
  async queued(_input: Nothing, context: Context): Promise<Answer<{ queued: Record<string, number> }>> {
    insistOnOperator(context);
    const rows = await this.database.query<{ platform: string; waiting: number }>(
      `SELECT platform, count(*)::int AS waiting FROM (
         SELECT device_id FROM deliveries WHERE state = 'waiting' LIMIT ${most}) w
       JOIN devices USING (device_id) GROUP BY platform`,
    );
    const queued: Record<string, number> = { apns: 0, fcm: 0, web: 0 };
    for (const { platform, waiting } of rows) queued[providers[platform] ?? platform] = waiting;
    return answer({ queued });
  }

  @Handles(Push.deviceCounts)
  async deviceCounts({ accountIds }: AccountsOf): Promise<Answer<{ counts: Record<string, number> }>> {
    const rows = await this.database.query<{ account_id: string; devices: number }>(
      `SELECT account_id, count(*)::int AS devices FROM devices
       WHERE account_id = ANY($1) AND active GROUP BY account_id`,
      [accountIds],
    );
    return answer({ counts: Object.fromEntries(rows.map((row) => [row.account_id, row.devices])) });
  }

  private async tell(asked: string): Promise<void> {
    this.bus.signal(transportsTold, asked, { transports: await attempts() } satisfies TransportsTold);
  }
}

/** The attempts of this process by provider. */
async function attempts(): Promise<TransportOutcomes[]> {
  const { values } = await pushAttemptSeconds.get();
  const counts = values.filter(({ metricName }) => metricName?.endsWith('_count'));
  const sum = (provider: Provider, isCounted: (outcome: OutcomeClass) => boolean): number =>
    counts
      .filter(({ labels }) => labels.provider === provider && isCounted(labels.outcome as OutcomeClass))
      .reduce((total, { value }) => total + value, 0);
  return Object.values(providers).map((name) => ({
    name,
    accepted: sum(name, (outcome) => outcome === 'accepted'),
    refused: sum(name, (outcome) => refusedClasses.includes(outcome)),
  }));
}
