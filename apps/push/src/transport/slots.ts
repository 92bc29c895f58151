/** Lets so many work at once; the others wait in line. */
export class Slots {
  private free: number;
  private readonly line: (() => void)[] = [];
  private head = 0;

  constructor(size: number) {
    this.free = size;
  }

  take(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.line.push(resolve));
  }

  give(): void {
    const next = this.line[this.head];
    if (!next) {
      this.free += 1;
      return;
    }
    this.head += 1;
    if (this.head > 1_000 && this.head * 2 > this.line.length) {
      this.line.splice(0, this.head);
      this.head = 0;
    }
    next();
  }
}
