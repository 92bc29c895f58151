import type { Database } from './database';
import { orphaned } from './owner';
import type { QueueClock } from './queue';
import type { Found } from './queue-terms';

/**
 * What a look at several queues finds: `$1` are their names, `$2` what is the time of each. Each part reads the head of
 * an index, so that it costs the same beside a million timers that are not due.
 */
export const lookingForTimers = `WITH orphans AS (SELECT queue FROM timers WHERE ${orphaned} ORDER BY owner)
SELECT q.queue,
  (SELECT true FROM timers WHERE queue = q.queue AND due_at <= q.now AND owner IS NULL
    AND (retry_at IS NULL OR retry_at <= now()) ORDER BY due_at LIMIT 1) IS NOT NULL AS due,
  q.queue IN (SELECT queue FROM orphans) AS orphaned,
  (SELECT due_at FROM timers WHERE queue = q.queue AND owner IS NULL AND retry_at IS NULL
    ORDER BY due_at LIMIT 1) AS next
FROM unnest($1::text[], $2::timestamptz[]) AS q (queue, now)`;

interface Row {
  queue: string;
  due: boolean;
  orphaned: boolean;
  next: Date | null;
}

interface Member {
  readonly queue: string;
  readonly clock: QueueClock;
  readonly tell: (found?: Found) => void;
}

const pollMs = 1_000;
const polls = new WeakMap<Database, TimersPoll>();

/**
 * Looks at the timers of all queues of one database in one statement: a service has up to ten of them, and most have
 * nothing to do most of the time.
 */
export class TimersPoll {
  private readonly members = new Set<Member>();
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;

  /** Use `TimersPoll.of`, which returns the one poll per database. */
  constructor(private readonly database: Database) {}

  static of(database: Database): TimersPoll {
    let poll = polls.get(database);
    if (!poll) polls.set(database, (poll = new TimersPoll(database)));
    return poll;
  }

  /** Tells what each look found; nothing where a look failed. Returns a function that ends it. */
  join(member: Member): () => void {
    this.members.add(member);
    // Services that look at the same moment would each wait for the others.
    this.timer ??= setInterval(() => void this.look(), pollMs * (1 + Math.random() / 4));
    return () => {
      this.members.delete(member);
      if (this.members.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private async look(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const asked = [...this.members];
    const found = await this.ask(asked).catch(() => new Map<string, Found>());
    this.isAsking = false;
    for (const member of asked) if (this.members.has(member)) member.tell(found.get(member.queue));
  }

  private async ask(members: readonly Member[]): Promise<Map<string, Found>> {
    const rows = await this.database.query<Row>(lookingForTimers, [
      members.map(({ queue }) => queue),
      members.map(({ clock }) => clock.now()),
    ]);
    return new Map(
      rows.map(({ queue, due, orphaned: isOrphaned, next }) => [
        queue,
        { isDue: due, isOrphaned, nextDueMs: next?.getTime() },
      ]),
    );
  }
}
