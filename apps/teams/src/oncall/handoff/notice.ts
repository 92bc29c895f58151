import type { SendNotification } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
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
