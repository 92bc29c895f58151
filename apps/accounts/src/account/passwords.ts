import { Refused } from '@carillon/eventing';
import { hash, verify } from '@node-rs/argon2';

/** Argon2id with OWASP's minimum; the library's default algorithm is Argon2id. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Runs a few tasks at once and queues some; refuses more at once instead of letting them time out. */
class Semaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly maxWaiting: number,
  ) {}

  /** `wanted` tells whether the caller still waits for the answer when its turn comes. Refused `password.busy`. */
  async inTurn<T>(work: () => Promise<T>, wanted: () => boolean): Promise<T> {
    if (this.running < this.atOnce) this.running += 1;
    else if (this.waiting.length < this.maxWaiting)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    else throw new Refused('password.busy');
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

/**
 * Hashing is slow on purpose, so few run at once. New accounts have a semaphore of their own, so that a flood of
 * sign-ups does not block sign-ins.
 */
export class Passwords {
  // Together one fewer than libuv has threads (4): the last one resolves names and reads files meanwhile.
  private readonly ofSignIns = new Semaphore(2, 200);
  private readonly ofNewcomers = new Semaphore(1, 50);
  /** The hash to compare with for an unknown address, so that it takes as long as a known one. */
  private readonly nobody = hash('nobody has this password', strength);

  /** The hash of a new password. */
  hash(password: string, wanted: () => boolean): Promise<string> {
    return this.ofNewcomers.inTurn(() => hash(password.normalize('NFKC'), strength), wanted);
  }

  /** The hash of the next password when the current one is right, or when there is none. */
  change(
    passwordHash: string | null,
    current: string,
    next: string,
    wanted: () => boolean,
  ): Promise<string | undefined> {
    return this.ofSignIns.inTurn(async () => {
      const same = passwordHash === null || (await verify(passwordHash, current.normalize('NFKC')));
      return same ? hash(next.normalize('NFKC'), strength) : undefined;
    }, wanted);
  }

  /** False also without a hash, after the same time. */
  async matches(
    passwordHash: string | null | undefined,
    password: string,
    wanted: () => boolean,
  ): Promise<boolean> {
    const against = passwordHash ?? (await this.nobody);
    const same = await this.ofSignIns.inTurn(() => verify(against, password.normalize('NFKC')), wanted);
    return same && against === passwordHash;
  }
}
