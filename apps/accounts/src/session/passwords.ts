import { Refused } from '@carillon/eventing';
import { hash, verify } from '@node-rs/argon2';

/** Argon2id with OWASP's minimum; the library's default algorithm is Argon2id. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const atOnce = 4;

/** Slow on purpose: a few at once, the others wait. */
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** What an unknown address is compared with, so that it takes as long as a known one. */
  private readonly nobody = hash('nobody has this password', strength);

  /** `wanted` says whether anybody still waits for the answer when its turn has come. */
  hash(password: string, wanted: () => boolean): Promise<string> {
    return this.inTurn(() => hash(password.normalize('NFKC'), strength), wanted);
  }

  /** False also without a hash, after the same time. */
  async matches(
    passwordHash: string | null | undefined,
    password: string,
    wanted: () => boolean,
  ): Promise<boolean> {
    const against = passwordHash ?? (await this.nobody);
    const same = await this.inTurn(() => verify(against, password.normalize('NFKC')), wanted);
    return same && against === passwordHash;
  }

  private async inTurn<T>(work: () => Promise<T>, wanted: () => boolean): Promise<T> {
    if (this.running >= atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      if (!wanted()) throw new Refused('bus.timeout');
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
