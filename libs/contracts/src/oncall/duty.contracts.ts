import { id, list, object, resource, type Static, text } from '@carillon/schema';
import { answers, Nothing } from '../contract';
import { OncallShift } from './oncall.contracts';
import { OncallPage } from './pages.contracts';

export const OncallOwnShift = resource(
  'OncallOwnShift',
  { ...OncallShift.properties, groupId: id('ocg'), groupName: text(), teamId: id('team') },
  'A shift of the caller.',
);
export type OncallOwnShift = Static<typeof OncallOwnShift>;

export const OwnDuty = object({
  shifts: list(
    OncallOwnShift,
    'In each group the shift that runs and the next one within 60 days, by their start; 20 at most.',
  ),
  pages: list(OncallPage, 'Open ones that have notified the person, newest first; 100 at most.'),
});
export type OwnDuty = Static<typeof OwnDuty>;

export const Duty = { read: answers(OwnDuty)('teams.duty.read', Nothing, [], 'always') };
