/**
 * Limits concurrency to a number of slots. Further callers wait in one line per account: the lines are served in turn,
 * so that an account with many waiting callers does not delay the others.
 */
export class Slots {
  private free: number;
  private readonly lines = new Map<string, (() => void)[]>();

  constructor(size: number) {
    this.free = size;
  }

  take(accountId: string): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1;
      return undefined;
    }
    return new Promise((resolve) => {
      const line = this.lines.get(accountId);
      if (line) line.push(resolve);
      else this.lines.set(accountId, [resolve]);
    });
  }

  give(): void {
    const [first] = this.lines;
    if (!first) {
      this.free += 1;
      return;
    }
    const [accountId, line] = first;
    const next = line.shift()!;
    // The account's line goes to the end of the rotation.
    this.lines.delete(accountId);
    if (line.length > 0) this.lines.set(accountId, line);
    next();
  }
}
