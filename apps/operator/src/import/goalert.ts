// GoAlert's GraphQL API: the answer to the query in docs/integrations/import.md.
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
  namesAll,
  type Notice,
  onceEach,
  periodOf,
  stepsOf,
  Unfit,
} from './rotations';

export function fromGoalert(answer: Part): Mapped {
  const whole = answer.get('data').isGiven ? answer.get('data') : answer;
  const unfit: string[] = [];
  const emails = new Map(
    listIn(whole, 'users', 'nodes').map((user) => [user.get('id').text(), user.get('email').text()]),
  );
  const rotations = new Map(
    listIn(whole, 'rotations', 'nodes').map((rotation) => [rotation.get('id').text(), rotation]),
  );
  const policies = listIn(whole, 'escalationPolicies', 'nodes');
  const used = new Set<string>();
  const found: Found[] = [];

  for (const schedule of listIn(whole, 'schedules', 'nodes')) {
    const name = schedule.get('name').text();
    const targets = schedule.get('targets').list();
    for (const target of targets) {
      const [type, id] = [target.get('target').get('type').text(), target.get('target').get('id').text()];
      const own = targets.length > 1 ? `${name}: ${target.get('target').get('name').text()}` : name;
      used.add(id);
      const rotation = fitting(`schedule "${own}"`, unfit, () => {
        if (!target.get('rules').list().every(isAlways)) throw new Unfit('it is restricted to some hours');
        const of = rotations.get(id);
        if (type !== 'rotation' || !of) throw new Unfit(`its shifts are those of a ${type}`);
        return rotationOf(own, of, emails);
      });
      const begins = new Set([schedule.get('id').text(), id]);
      if (rotation) found.push(withEscalation(rotation, begins, policies, emails, unfit));
    }
  }
  for (const [id, rotation] of rotations) {
    if (used.has(id)) continue;
    const name = rotation.get('name').text();
    const alone = fitting(`rotation "${name}"`, unfit, () => rotationOf(name, rotation, emails));
    if (alone) found.push(withEscalation(alone, new Set([id]), policies, emails, unfit));
  }
  return { found, unfit };
}

/** A rule from midnight to midnight on all seven days. */
const isAlways = (rule: Part): boolean =>
  rule.get('start').text() === '00:00' &&
  rule.get('end').text() === '00:00' &&
  rule
    .get('weekdayFilter')
    .list()
    .every((day) => day.flag());

/** Its next handoff fixes the turns: GoAlert moves the active user when it hands over, not by the calendar alone. */
function rotationOf(name: string, rotation: Part, emails: ReadonlyMap<string, string>): BareRotation {
  const people = rotation
    .get('userIDs')
    .list()
    .map((id) => id.text())
    .map((id) => emailIn(emails, id));
  const period = periodOf(rotation.get('type').text(), rotation.get('shiftLength').number());
  const [next] = rotation.get('nextHandoffTimes').list();
  if (!next) throw new Unfit('the export does not have its next handoff');
  const active = rotation.get('activeUserIndex').number();
  const at = instantIn(next.text(), rotation.get('timeZone').text());
  return {
    name,
    emails: onceEach([...people.slice(active), ...people.slice(0, active)]),
    period,
    ...firstHandoff(at.subtract({ days: period === 'daily' ? 1 : 7 })),
  };
}

const titleOf = (policy: Part): string => `escalation policy "${policy.get('name').text()}"`;

/** With the first policy whose first step notifies the schedule or its rotation. */
function withEscalation(
  rotation: BareRotation,
  begins: ReadonlySet<string>,
  policies: readonly Part[],
  emails: ReadonlyMap<string, string>,
  unfit: string[],
): Found {
  const notifies = (step: Part | undefined): boolean =>
    step
      ?.get('targets')
      .list()
      .some((target) => begins.has(target.get('id').text())) ?? false;
  const starting = policies.filter((policy) => notifies(policy.get('steps').list()[0]));
  const own = firstOf(starting, titleOf, rotation.name, unfit);
  if (!own) return { ...rotation, escalation: [] };
  const what = titleOf(own);
  if (own.get('repeat').isGiven && own.get('repeat').number() > 0)
    unfit.push(`${what}: Carillon does not repeat it`);
  let minutes = 0;
  const notices = own
    .get('steps')
    .list()
    .map((step): Notice => {
      const afterMinutes = minutes;
      // GoAlert's delay is that until the next step.
      minutes += step.get('delayMinutes').number();
      const targets = step.get('targets').list();
      const named = targets.map((target) => emails.get(target.get('id').text()));
      const types = [...new Set(targets.map((target) => target.get('type').text()))].join(', ');
      return {
        afterMinutes,
        target: notifies(step) ? 'current' : namesAll(named, rotation) ? 'group' : null,
        whom: `a target of type ${types || 'none'}`,
      };
    });
  return { ...rotation, escalation: stepsOf(what, notices, unfit) };
}
