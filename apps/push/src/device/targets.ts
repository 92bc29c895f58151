import type { QuietHoursFact } from '@carillon/contracts';
import { compareTexts } from '@carillon/eventing';
import type { RingableDevice } from './quiet-hours';

/** One account's active devices, sorted by id. */
export type Active = readonly RingableDevice[];

interface ActiveRow {
  readonly account_id: string;
  readonly device_id: string;
  readonly hours: QuietHoursFact | null;
}

/**
 * Finds the active devices of accounts. Lookups that arrive while a query is running wait and share the next query:
 * under load a send costs a fraction of a query.
 */
export class Targets {
  private waiting = new Map<string, ((found: Active) => void)[]>();
  private failing: ((error: unknown) => void)[] = [];
  private asking = false;

  constructor(private readonly ask: (accountIds: readonly string[]) => Promise<readonly ActiveRow[]>) {}

  of(accountId: string): Promise<Active> {
    return new Promise((resolve, reject) => {
      const waiting = this.waiting.get(accountId);
      if (waiting) waiting.push(resolve);
      else this.waiting.set(accountId, [resolve]);
      this.failing.push(reject);
      if (!this.asking) void this.askAll();
    });
  }

  private async askAll(): Promise<void> {
    this.asking = true;
    while (this.waiting.size > 0) {
      const { waiting, failing } = this;
      this.waiting = new Map();
      this.failing = [];
      try {
        const found = new Map<string, RingableDevice[]>(
          [...waiting.keys()].map((accountId) => [accountId, []]),
        );
        for (const { account_id: accountId, device_id: deviceId, hours } of await this.ask([
          ...waiting.keys(),
        ]))
          found.get(accountId)?.push({ deviceId, hours });
        for (const [accountId, answers] of waiting) {
          const devices = found.get(accountId)!.sort((a, b) => compareTexts(a.deviceId, b.deviceId));
          for (const answer of answers) answer(devices);
        }
      } catch (error) {
        for (const fail of failing) fail(error);
      }
    }
    this.asking = false;
  }
}
