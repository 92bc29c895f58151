import { type Shift, withPlanned } from './days';
import type { Pending } from './preview';

/** The shifts as a change that is not saved would make them: of another rotation no further than its preview goes. */
export function plannedIn(shifts: readonly Shift[], pending: Pending | undefined): readonly Shift[] {
  if (!pending || pending.kind === 'escalation') return shifts;
  const { after } = pending.simulation.schedule;
  const planned = withPlanned(shifts, after);
  if (pending.kind === 'override') return planned;
  const end = Date.parse(after.at(-1)?.endsAt ?? '');
  return planned.filter(({ startsAt }) => Date.parse(startsAt) < end);
}
