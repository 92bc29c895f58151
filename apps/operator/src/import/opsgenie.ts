// Opsgenie's REST API v2: the answers of GET /v2/users, /v2/schedules?expand=rotation and /v2/escalations, or the files
// that opsgenie-configuration-backup writes of them (docs/integrations/import.md).
import { listIn, type Part } from './export';
import {
  emailIn,
  firstHandoff,
  firstOf,
  fitting,
  type Found,
  instantIn,
  type BareRotation,
  type Mapped,
  type Notice,
  onceEach,
  periodOf,
  stepsOf,
  Unfit,
} from './rotations';

export function fromOpsgenie(whole: Part): Mapped {
  const unfit: string[] = [];
  const users = new Map(
    listIn(whole, 'users', 'data')
      .map((each) => (each.get('user').isGiven ? each.get('user') : each))
      .map((user) => [user.get('id').text(), user.get('username').text()]),
  );
  const escalations = listIn(whole, 'escalations', 'data');
  const found = listIn(whole, 'schedules', 'data').flatMap((each) => {
    const schedule = each.get('schedule').isGiven ? each.get('schedule') : each;
    const name = schedule.get('name').text();
    const overrides = each.get('scheduleOverrideList').list().length;
    if (overrides > 0) unfit.push(`schedule "${name}": its ${overrides} overrides are not imported`);
    const rotations = schedule.get('rotations').list();
    const mapped = rotations.flatMap((rotation) => {
      const own = rotations.length > 1 ? `${name}: ${rotation.get('name').text()}` : name;
      return fitting(`rotation "${own}"`, unfit, () => rotationOf(own, rotation, schedule, users)) ?? [];
    });
    return withEscalation(mapped, schedule, escalations, unfit);
  });
  return { found, unfit };
}

function rotationOf(
  name: string,
  rotation: Part,
  schedule: Part,
  users: ReadonlyMap<string, string>,
): BareRotation {
  if (rotation.get('timeRestriction').isGiven) throw new Unfit('it is restricted to some hours');
  if (rotation.get('endDate').isGiven) throw new Unfit('it ends');
  const emails = rotation
    .get('participants')
    .list()
    .map((participant) => {
      const type = participant.get('type').text();
      if (type !== 'user') throw new Unfit(`a turn is that of a ${type}`);
      const given = participant.get('username');
      return given.isGiven ? given.text() : emailIn(users, participant.get('id').text());
    });
  const length = rotation.get('length');
  return {
    name,
    emails: onceEach(emails),
    period: periodOf(rotation.get('type').text(), length.isGiven ? length.number() : 1),
    ...firstHandoff(instantIn(rotation.get('startDate').text(), schedule.get('timezone').text())),
  };
}

const titleOf = (escalation: Part): string => `escalation "${escalation.get('name').text()}"`;

/** With the first escalation that begins with the schedule. */
function withEscalation(
  found: readonly BareRotation[],
  schedule: Part,
  all: readonly Part[],
  unfit: string[],
): Found[] {
  const id = schedule.get('id').text();
  const of = (rule: Part): boolean => {
    const recipient = rule.get('recipient');
    return recipient.get('type').text() === 'schedule' && recipient.get('id').text() === id;
  };
  const starting = all.filter((each) => {
    const [first] = each.get('rules').list();
    return first !== undefined && of(first);
  });
  const own = firstOf(starting, titleOf, schedule.get('name').text(), unfit);
  const what = own && titleOf(own);
  if (own?.get('repeat').isGiven && own.get('repeat').get('count').isGiven)
    unfit.push(`${what}: Carillon does not repeat it`);
  const steps = own && what ? stepsOf(what, noticesOf(own, of), unfit) : [];
  return found.map((each) => ({ ...each, escalation: steps }));
}

const minutesIn: Readonly<Record<string, number>> = { minutes: 1, hours: 60, days: 1440 };
const targets: Readonly<Record<string, Notice['target']>> = {
  default: 'current',
  next: 'next',
  all: 'group',
};

/** Opsgenie counts each delay from the alert. */
const noticesOf = (escalation: Part, isOwn: (rule: Part) => boolean): Notice[] =>
  escalation
    .get('rules')
    .list()
    .map((rule) => {
      const delay = rule.get('delay');
      const type = rule.get('notifyType').text();
      const recipient = rule.get('recipient').get('type').text();
      const unit = delay.get('timeUnit').isGiven ? delay.get('timeUnit').text() : 'minutes';
      return {
        afterMinutes: delay.get('timeAmount').number() * (minutesIn[unit] ?? NaN),
        target: isOwn(rule) ? (targets[type] ?? null) : null,
        whom: `"${type}" of a ${recipient}`,
      };
    })
    .sort((a, b) => a.afterMinutes - b.afterMinutes);
