/**
 * The active devices of accounts, asked for once at a time for each: what comes while an answer is on its way shares the
 * next question. That one is put after all of them came, so that each sees what was acknowledged before.
 */
export class ActiveDevices<By> {
  private readonly underWay = new Map<string, Promise<readonly string[]>>();
  private readonly next = new Map<string, Promise<readonly string[]>>();

  /** `ask` puts the question on behalf of somebody. */
  constructor(private readonly ask: (by: By) => Promise<readonly string[]>) {}

  of(accountId: string, by: By): Promise<readonly string[]> {
    const current = this.underWay.get(accountId);
    if (!current) return this.begin(accountId, by);
    const shared = this.next.get(accountId);
    // Others may have had less time, or been refused for themselves: then each asks alone.
    if (shared) return shared.catch(() => this.ask(by));
    const next = current.then(
      () => this.begin(accountId, by),
      () => this.begin(accountId, by),
    );
    this.next.set(accountId, next);
    return next;
  }

  private begin(accountId: string, by: By): Promise<readonly string[]> {
    this.next.delete(accountId);
    const asked = this.ask(by).finally(() => this.underWay.delete(accountId));
    this.underWay.set(accountId, asked);
    return asked;
  }
}
