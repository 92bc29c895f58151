import { appendFileSync } from 'node:fs';

/** One push as a provider got it, and what it made of it. */
export interface Received {
  /** Grows by one per push of its list, also over resets. */
  n: number;
  at: string;
  provider: 'apns' | 'fcm' | 'web';
  headers: Record<string, string>;
  payload: unknown;
  /** Status 0 = the connection was cut, or the stream refused, before an answer. */
  verdict: { status: number; reason: string | null };
  shown: boolean;
  why?: string | undefined;
  /** The fault that took part. */
  fault?: string | undefined;
}

/** The same push in the list of all phones; `phoneId` is null when no phone has that token. */
export interface ReceivedByAll extends Received {
  phoneId: string | null;
  /** The push's number in the list of its phone. */
  phoneN?: number | undefined;
}

/** Headers as they came, with a fingerprint instead of the credential. */
export function recordedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  fingerprint: (authorization: string) => string,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of Object.keys(headers)) kept[name] = String(headers[name]);
  if (kept.authorization !== undefined) kept.authorization = fingerprint(kept.authorization);
  return kept;
}

/** Counts of one provider. */
export interface Count {
  requests: number;
  accepted: number;
  refused: number;
}

const kept = 1000;
const slack = 250;

class NumberedLog<Entry extends { n: number }> {
  private entries: Entry[] = [];
  private last = 0;

  next(): number {
    return ++this.last;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    // Cut now and then, not at every push.
    if (this.entries.length > kept + slack) this.entries = this.entries.slice(-kept);
  }

  after(n: number): { received: Entry[]; next: number } {
    const received = this.entries.slice(-kept).filter((entry) => entry.n > n);
    return { received, next: received.at(-1)?.n ?? Math.max(n, this.last) };
  }

  find(n: number): Entry | undefined {
    return this.entries.find((entry) => entry.n === n);
  }

  clear(): void {
    this.entries = [];
  }
}

/**
 * Everything the providers received: the last thousand for each phone, and for all together. With a file, each as a
 * line of it, written before a provider answers: what was accepted is on record also when this process is killed.
 */
export class ReceivedLog {
  stats: { apns: Count; fcm: Count; web: Count; oauth: Count } = zero();
  private readonly all = new NumberedLog<{ n: number; phoneId: string | null; record: Received }>();
  private readonly byPhone = new Map<string, NumberedLog<Received>>();

  constructor(private readonly file?: string) {}

  /** The number that the next record of a phone will have. */
  number(phoneId: string): number {
    return this.of(phoneId).next();
  }

  add(phoneId: string | undefined, record: Received): void {
    this.count(record.provider, record.verdict.status === 200 || record.verdict.status === 201);
    if (phoneId !== undefined) this.of(phoneId).add(record);
    if (this.file) appendFileSync(this.file, `${JSON.stringify({ phoneId: phoneId ?? null, ...record })}\n`);
    this.all.add({ n: this.all.next(), phoneId: phoneId ?? null, record });
  }

  count(provider: 'apns' | 'fcm' | 'web' | 'oauth', accepted: boolean): void {
    const count = this.stats[provider];
    count.requests++;
    count[accepted ? 'accepted' : 'refused']++;
  }

  find(phoneId: string, n: number): Received | undefined {
    return this.byPhone.get(phoneId)?.find(n);
  }

  after(phoneId: string, n: number): { received: Received[]; next: number } {
    return this.of(phoneId).after(n);
  }

  afterOfAll(n: number): { received: ReceivedByAll[]; next: number } {
    const { received, next } = this.all.after(n);
    return {
      next,
      received: received.map(({ n, phoneId, record }) => ({
        ...record,
        n,
        phoneId,
        phoneN: phoneId === null ? undefined : record.n,
      })),
    };
  }

  forget(phoneId: string): void {
    this.byPhone.delete(phoneId);
  }

  /** Records and counts go; the numbers go on, so that a reader with a number misses nothing. */
  clear(): void {
    this.all.clear();
    for (const log of this.byPhone.values()) log.clear();
    this.stats = zero();
  }

  private of(phoneId: string): NumberedLog<Received> {
    let log = this.byPhone.get(phoneId);
    if (!log) this.byPhone.set(phoneId, (log = new NumberedLog<Received>()));
    return log;
  }
}

function zero() {
  const count = (): Count => ({ requests: 0, accepted: 0, refused: 0 });
  return { apns: count(), fcm: count(), web: count(), oauth: count() };
}
