// Grafana OnCall's HTTP API v1: the answers of GET /api/v1/users, /schedules, /on_call_shifts, /escalation_chains and
// /escalation_policies beside each other (docs/integrations/import.md).
import type { RotationPeriod } from '@carillon/contracts';
import { listIn, type Part } from './export';
import {
  emailIn,
  firstHandoffAt,
  firstOf,
  fitting,
  type Found,
  type BareRotation,
  type Mapped,
  namesAll,
  type Notice,
  onceEach,
  periodOf,
  stepsOf,
  Unfit,
} from './rotations';

export function fromOncall(whole: Part): Mapped {
  const unfit: string[] = [];
  const emails = new Map(
    listIn(whole, 'users', 'results').map((user) => [user.get('id').text(), user.get('email').text()]),
  );
  const shifts = listIn(whole, 'on_call_shifts', 'results');
  const chains = chainsIn(whole);
  const found = listIn(whole, 'schedules', 'results').flatMap((schedule) => {
    const [id, name] = [schedule.get('id').text(), schedule.get('name').text()];
    if (schedule.get('type').text() === 'ical') {
      unfit.push(`schedule "${name}": its shifts are in a calendar elsewhere`);
      return [];
    }
    const listed = schedule
      .get('shifts')
      .list()
      .map((each) => each.text());
    const own = shifts.filter(
      (shift) =>
        listed.includes(shift.get('id').text()) ||
        (shift.get('schedule').isGiven && shift.get('schedule').text() === id),
    );
    const isSeveral = own.filter(isRotation).length > 1;
    const rotations = own.flatMap((shift) => {
      const of = isSeveral || !isRotation(shift) ? `${name}: ${shift.get('name').text()}` : name;
      return fitting(`shift "${of}"`, unfit, () => rotationOf(of, shift, schedule, emails)) ?? [];
    });
    return rotations.map((rotation) => ({
      ...rotation,
      escalation: escalationOf({ id, name }, chains, { rotation, emails }, unfit),
    }));
  });
  return { found, unfit };
}

const isRotation = (shift: Part): boolean =>
  ['rolling_users', 'recurrent_event'].includes(shift.get('type').text());
const wholeSeconds: Readonly<Record<RotationPeriod, number>> = { daily: 86_400, weekly: 604_800 };

function rotationOf(
  name: string,
  shift: Part,
  schedule: Part,
  emails: ReadonlyMap<string, string>,
): BareRotation {
  const type = shift.get('type').text();
  if (!isRotation(shift)) throw new Unfit(`its type is ${type}`);
  const narrowed = ['by_day', 'by_month', 'by_monthday'].filter((each) => shift.get(each).list().length > 0);
  if (narrowed.length > 0) throw new Unfit(`it is restricted by ${narrowed.join(', ')}`);
  if (shift.get('until').isGiven) throw new Unfit('it ends');
  const interval = shift.get('interval').isGiven ? shift.get('interval').number() : 1;
  const period = periodOf(shift.get('frequency').text(), interval);
  if (shift.get('duration').number() !== wholeSeconds[period])
    throw new Unfit('its shifts leave a part of each turn to nobody');
  const turns =
    type === 'rolling_users'
      ? shift
          .get('rolling_users')
          .list()
          .map((turn) => turn.list())
      : [shift.get('users').list()];
  const people = turns.map(([one, ...more]) => {
    if (!one || more.length > 0) throw new Unfit('a turn is not that of one person');
    return emailIn(emails, one.text());
  });
  const index = shift.get('start_rotation_from_user_index');
  const first = index.isGiven ? index.number() : 0;
  const zone = shift.get('time_zone').isGiven ? shift.get('time_zone') : schedule.get('time_zone');
  return {
    name,
    emails: onceEach([...people.slice(first), ...people.slice(0, first)]),
    period,
    ...firstHandoffAt(shift.get('start').text(), zone.isGiven ? zone.text() : 'UTC'),
  };
}

interface Chain {
  readonly name: string;
  readonly policies: readonly Part[];
}

function chainsIn(whole: Part): Chain[] {
  const policies = listIn(whole, 'escalation_policies', 'results');
  return listIn(whole, 'escalation_chains', 'results').map((chain) => ({
    name: chain.get('name').text(),
    policies: policies
      .filter((policy) => policy.get('escalation_chain_id').text() === chain.get('id').text())
      .sort((a, b) => a.get('position').number() - b.get('position').number()),
  }));
}

const titleOf = ({ name }: Chain): string => `escalation chain "${name}"`;

/** Of the first chain that begins with the schedule. */
function escalationOf(
  schedule: { readonly id: string; readonly name: string },
  chains: readonly Chain[],
  people: { readonly rotation: BareRotation; readonly emails: ReadonlyMap<string, string> },
  unfit: string[],
): Found['escalation'] {
  const isOwn = (policy: Part): boolean =>
    policy.get('type').text() === 'notify_on_call_from_schedule' &&
    policy.get('notify_on_call_from_schedule').text() === schedule.id;
  const starting = chains.filter(({ policies }) => {
    const first = policies.find((policy) => policy.get('type').text() !== 'wait');
    return first !== undefined && isOwn(first);
  });
  const own = firstOf(starting, titleOf, schedule.name, unfit);
  if (!own) return [];
  let minutes = 0;
  const notices = own.policies.flatMap((policy): Notice[] => {
    const type = policy.get('type').text();
    if (type === 'wait') {
      minutes += policy.get('duration').number() / 60;
      return [];
    }
    const everybody = type === 'notify_persons' && reachesAll(policy, people);
    const target = isOwn(policy) ? 'current' : everybody ? 'group' : null;
    return [{ afterMinutes: minutes, target, whom: `by "${type}"` }];
  });
  return stepsOf(titleOf(own), notices, unfit);
}

const reachesAll = (
  policy: Part,
  { rotation, emails }: { readonly rotation: BareRotation; readonly emails: ReadonlyMap<string, string> },
): boolean => {
  const named = policy
    .get('persons_to_notify')
    .list()
    .map((each) => emails.get(each.text()));
  return namesAll(named, rotation);
};
