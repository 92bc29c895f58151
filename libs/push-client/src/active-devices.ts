/**
 * The active devices of accounts, with one request at a time per account: calls during a request share the next one.
 * The shared request is sent after all of these calls, so that each sees everything acknowledged before it.
 */
export class ActiveDevices<By, Found> {
  private readonly underWay = new Map<string, Promise<Found>>();
  private readonly next = new Map<string, Promise<Found>>();

  /** `ask` sends the request on behalf of a caller. */
  constructor(private readonly ask: (by: By) => Promise<Found>) {}

  of(accountId: string, by: By): Promise<Found> {
    const current = this.underWay.get(accountId);
    if (!current) return this.begin(accountId, by);
    const shared = this.next.get(accountId);
    // The shared request may fail for reasons of its caller, such as its deadline: then each call sends its own.
    if (shared) return shared.catch(() => this.ask(by));
    const next = current.then(
      () => this.begin(accountId, by),
      () => this.begin(accountId, by),
    );
    this.next.set(accountId, next);
    return next;
  }

  private begin(accountId: string, by: By): Promise<Found> {
    this.next.delete(accountId);
    const asked = this.ask(by).finally(() => this.underWay.delete(accountId));
    this.underWay.set(accountId, asked);
    return asked;
  }
}
