import { type Lane, unsentOf } from './lane';
import { owe } from './owed';

/** The maximum number of waiting operations in a lane. Only a prompt's activity that changes constantly reaches it. */
const maxWaiting = 1_000;

/** Drops unsent routine updates that another routine update directly follows; the order stays the same. */
export function collapsed(lane: Lane, atMs: number): Lane {
  const from = lane.isUnderWay ? 1 : 0;
  const stale = lane.waiting.filter((one, index) => {
    const next = lane.waiting[index + 1];
    return index >= from && one.isRoutine && next?.isRoutine === true;
  });
  return stale.reduce(
    (left, one) =>
      owe(
        { ...left, waiting: left.waiting.filter((other) => other !== one) },
        [one],
        'superseded',
        null,
        atMs,
        lane.waiting[lane.waiting.indexOf(one) + 1]!.sequence,
      ),
    lane,
  );
}

/** Drops the oldest unsent update when too many operations wait. */
export function bounded(lane: Lane, atMs: number): Lane {
  if (lane.waiting.length <= maxWaiting) return lane;
  const oldest = unsentOf(lane).find(({ kind }) => kind === 'update')!;
  const left: Lane = { ...lane, waiting: lane.waiting.filter((one) => one !== oldest) };
  return owe(left, [oldest], 'superseded', null, atMs, lane.latest.sequence);
}
