import type { SendNotification } from '@carillon/contracts';
import { type Instant, isBefore } from '@carillon/eventing';
import type { Duty } from '../../rotation/duty';
import type { OncallGroup } from '../../team/oncall';
import { localTime } from '../group/in-words';

/** A shift of a person that has begun or ended. */
export interface HandoffOfPerson {
  readonly accountId: string;
  readonly change: 'begin' | 'end';
  readonly at: Instant;
  /** When a shift that begins will end, as far as that is known. */
  readonly until?: Instant;
}

/**
 * Whose shift has ended, and whose has begun. When a shift or a gap in between has passed unseen, the former shift
 * ended before the present one began; nobody is told of what lay between.
 */
export function handoffs(
  before: Pick<Duty, 'accountId' | 'until'>,
  { accountId, since, until }: Duty,
): HandoffOfPerson[] {
  if (before.accountId === accountId) return [];
  const endedAt = before.until !== null && isBefore(before.until, since) ? before.until : since;
  const ended: HandoffOfPerson[] =
    before.accountId === null ? [] : [{ accountId: before.accountId, change: 'end', at: endedAt }];
  if (accountId === null) return ended;
  return [...ended, { accountId, change: 'begin', at: since, ...(until !== null && { until }) }];
}

/** The notification to the person. */
export function handoffNotice(
  { name, rotation }: Pick<OncallGroup, 'name' | 'rotation'>,
  { change, at, until }: Omit<HandoffOfPerson, 'accountId'>,
): SendNotification {
  const local = localTime(rotation.timezone);
  if (change === 'end')
    return { title: `Your on-call shift has ended: ${name}`, body: `Your shift ended at ${local(at)}.` };
  const ends = until === undefined ? '' : ` It ends at ${local(until)}.`;
  return { title: `You are on call: ${name}`, body: `Your shift began at ${local(at)}.${ends}` };
}
