import {
  About,
  bool,
  count,
  Id,
  id,
  int,
  list,
  ListOfShapes,
  Nested,
  nullable,
  object,
  Optional,
  resource,
  type Static,
  When,
  when,
} from '@carillon/schema';
import { answers } from '../contract';
import { ChangedRotation, EscalationStep, OncallShift, OncallWarnings } from './oncall.contracts';

export class SimulatedOverride {
  @Id('usr') userId!: string;
  @When() startsAt!: string;
  @When() endsAt!: string;
}

export class SimulateOncall {
  @Id('ocg') groupId!: string;
  @Optional() @Nested(ChangedRotation) rotation?: ChangedRotation;
  @Optional() @ListOfShapes(EscalationStep, { min: 0, max: 10 }) escalation?: EscalationStep[];
  @About('An override that is added, by the rules of one that is made.')
  @Optional()
  @Nested(SimulatedOverride)
  override?: SimulatedOverride;
}

const rings = (about: string) => list(object({ userId: id('usr'), at: when() }), about);

const shifts = (about: string) =>
  list(
    OncallShift,
    `${about} Those in the window of the override; without one the current and the next ten within 60 days.`,
  );

export const OncallSimulation = resource(
  'OncallSimulation',
  {
    pages: list(
      object({
        pageId: id('page'),
        before: rings('Whose phones got it, and when.'),
        after: rings('Whose would have got it, and when.'),
        firstRungDeltaSeconds: nullable(
          int(
            'How much later the first phone would have got it, less than 0: earlier; null when none did, or would have.',
          ),
        ),
      }),
      'Those of the last 90 days, newest first; 500 at most.',
    ),
    summary: object({
      pageCount: count(),
      changedCount: count('Pages that would have gone to others, or at other times.'),
      earlierCount: count('Pages whose first phone would have got it earlier.'),
      laterCount: count('Pages whose first phone would have got it later.'),
      unrungCount: count('Pages that no phone would have got.'),
      ringsBefore: count(),
      ringsAfter: count(),
      truncated: bool('Whether there were more than 500 pages.'),
    }),
    schedule: object({
      before: shifts('The shifts without the change.'),
      after: shifts('The shifts with it.'),
      warnings: OncallWarnings,
    }),
  },
  'What a change of the schedule would do: to the shifts to come, and to the pages of the last 90 days.',
);
export type OncallSimulation = Static<typeof OncallSimulation>;

export const Simulation = {
  run: answers(OncallSimulation)(
    'teams.simulation.run',
    SimulateOncall,
    [
      'oncall_group.unknown',
      'oncall.invalid_timezone',
      'member.not_found',
      'input.invalid',
      'override.self_only',
      'override.overlap',
      'simulation.run_too_often',
    ],
    'always',
  ),
};
