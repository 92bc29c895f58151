import { TookTooLong } from './within';

/** Places for calls under way; those that have none wait in turn. */
export class Slots {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly most: number) {}

  /** Takes a slot; returns the function that releases it. Throws `TookTooLong` when none is free within `ms`. */
  async enter(ms: number): Promise<() => void> {
    if (this.taken < this.most) this.taken += 1;
    else
      await new Promise<void>((resolve, reject) => {
        const turn = (): void => {
          clearTimeout(timer);
          this.waiting.delete(turn);
          resolve();
        };
        const timer = setTimeout(() => {
          this.waiting.delete(turn);
          reject(new TookTooLong());
        }, ms);
        this.waiting.add(turn);
      });
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = this.waiting;
      if (next) next();
      else this.taken -= 1;
    };
  }
}
