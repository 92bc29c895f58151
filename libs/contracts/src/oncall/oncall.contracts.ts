import {
  About,
  Bool,
  bool,
  count,
  Id,
  id,
  Int,
  int,
  list,
  ListOf,
  ListOfShapes,
  Nested,
  nullable,
  object,
  OneOf,
  oneOf,
  Optional,
  optional,
  resource,
  SomethingIn,
  type Static,
  Text,
  text,
  TimeOfDay,
  uri,
  When,
  when,
  WhenAsked,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';

export const rotationPeriods = ['daily', 'weekly'] as const;
export type RotationPeriod = (typeof rotationPeriods)[number];
export const escalationTargets = ['next', 'group'] as const;
export type EscalationTarget = (typeof escalationTargets)[number];

/** The recipients of a page that is not acknowledged within some minutes after the previous notification. */
export class EscalationStep {
  @Int(1, 1440) afterMinutes!: number;
  @OneOf(escalationTargets) target!: EscalationTarget;
}

export const OncallPerson = resource('OncallPerson', {
  userId: id('usr'),
  name: text(),
  image: nullable(uri()),
});
export type OncallPerson = Static<typeof OncallPerson>;

export const OncallShift = resource(
  'OncallShift',
  {
    person: OncallPerson,
    startsAt: when(),
    endsAt: when('The shift is over at this moment.'),
    override: bool('Whether it is an override of the regular turn.'),
    overrideId: optional(id('ovr')),
  },
  'The people on call in a window of time.',
);
export type OncallShift = Static<typeof OncallShift>;

export const Override = resource('OncallOverride', {
  id: id('ovr'),
  person: OncallPerson,
  startsAt: when(),
  endsAt: when(),
});
export type Override = Static<typeof Override>;

const groupFields = {
  id: id('ocg'),
  teamId: id('team'),
  name: text(),
  rotation: object({
    members: list(OncallPerson, 'In the order of their turns.'),
    period: oneOf(rotationPeriods),
    handoffAt: text('`HH:mm` on the wall clock of the zone.'),
    timezone: text('An IANA name.'),
    startsAt: when('The first handoff.'),
  }),
  escalation: list(object({ afterMinutes: count(), target: oneOf(escalationTargets) })),
  handoffNotices: bool('Whether those whose shifts begin or end are notified.'),
  current: nullable(OncallShift),
  upcoming: list(OncallShift, 'Ten at most, that begin within 60 days.'),
  overrides: list(Override, 'Those that are not over.'),
  openPageCount: count(),
  createdAt: when(),
  updatedAt: when(),
};

export const OncallGroup = resource('OncallGroup', groupFields, 'People who are on call in turn.');
export type OncallGroup = Static<typeof OncallGroup>;

/** The gaps and overlaps of a schedule. */
const coverageFields = {
  gaps: list(object({ startsAt: when(), endsAt: when() }), 'When nobody is on call.'),
  overlaps: list(
    object({ startsAt: when(), endsAt: when(), userIds: list(id('usr')) }),
    'When several people are on call at once.',
  ),
};

export const OncallWarnings = resource(
  'OncallWarnings',
  coverageFields,
  'What the schedule leaves open in the 366 days after a change.',
);
export type OncallWarnings = Static<typeof OncallWarnings>;

export const OncallCoverage = resource('OncallCoverage', { from: when(), to: when(), ...coverageFields });
export type OncallCoverage = Static<typeof OncallCoverage>;

/** The group after a change of its schedule. */
export const ChangedOncallGroup = resource(
  'ChangedOncallGroup',
  { ...groupFields, warnings: OncallWarnings },
  'The group, and what its schedule leaves open.',
);
export type ChangedOncallGroup = Static<typeof ChangedOncallGroup>;

export class GivenRotation {
  @About('In the order of their turns.')
  @ListOf(Id.rule('usr'), { min: 1, max: 50, unique: true })
  userIds!: string[];
  @OneOf(rotationPeriods) period!: RotationPeriod;
  @About('`HH:mm` on the wall clock of the zone.') @TimeOfDay() handoffAt!: string;
  @About('An IANA name.') @Text(1, 64) timezone!: string;
  @About('The first handoff is on its local date; without it, it is the newest one before now.')
  @Optional()
  @When()
  startsAt?: string;
}

export class CreateOncallGroup {
  @Id('team') id!: string;
  @Text(1, 80) name!: string;
  @Nested(GivenRotation) rotation!: GivenRotation;
  @About('Unless said: the next one after 5 minutes, everybody after 10 more.')
  @Optional()
  @ListOfShapes(EscalationStep, { min: 0, max: 10 })
  escalation?: EscalationStep[];
  @About('Notifies those whose shifts begin or end; false unless said.')
  @Optional()
  @Bool()
  handoffNotices?: boolean;
}

/** Absent fields are not changed. */
export class ChangedRotation {
  @About('In the order of their turns.')
  @Optional()
  @ListOf(Id.rule('usr'), { min: 1, max: 50, unique: true })
  userIds?: string[];
  @Optional() @OneOf(rotationPeriods) period?: RotationPeriod;
  @About('`HH:mm` on the wall clock of the zone.') @Optional() @TimeOfDay() handoffAt?: string;
  @About('An IANA name.') @Optional() @Text(1, 64) timezone?: string;
  @About('The first handoff is on its local date.') @Optional() @When() startsAt?: string;
}

@SomethingIn('rotation', ['name', 'escalation', 'handoffNotices'])
export class ChangeOncallGroup {
  @Id('ocg') groupId!: string;
  @Optional() @Text(1, 80) name?: string;
  @Optional() @Nested(ChangedRotation) rotation?: ChangedRotation;
  @Optional() @ListOfShapes(EscalationStep, { min: 0, max: 10 }) escalation?: EscalationStep[];
  @About('Notifies those whose shifts begin or end.') @Optional() @Bool() handoffNotices?: boolean;
}

export class ListOncallGroups extends ListQuery {
  @Id('team') id!: string;
}

export class OncallGroupById {
  @Id('ocg') groupId!: string;
}

export class OncallGroupAt extends OncallGroupById {
  @About('The people on call at this time, as known then; now when it is absent.')
  @Optional()
  @WhenAsked()
  at?: string;
}

export class OncallShiftsIn extends OncallGroupById {
  @WhenAsked() from!: string;
  @About('At most 62 days after `from`.') @WhenAsked() to!: string;
}

const OncallShifts = object({
  shifts: list(OncallShift, 'Those in the window, cut to it, in their order.'),
});
export type OncallShifts = Static<typeof OncallShifts>;

export const OncallExplanation = resource(
  'OncallExplanation',
  {
    at: when(),
    person: nullable(OncallPerson),
    kind: oneOf(['rotation', 'override', 'nobody']),
    turn: nullable(
      count('Counted from 0, also while somebody else has taken it over; null before the first.'),
    ),
    shift: nullable(object({ startsAt: when(), endsAt: when() })),
    overrideId: nullable(id('ovr')),
    shiftedByMinutes: int(
      'By how much a clock change moved the handoff that began the turn, else the one that ends it; less than 0: so long before the second time of a day on which it comes twice.',
    ),
    text: text('The same in words.'),
  },
  'The person on call at a time, and why.',
);
export type OncallExplanation = Static<typeof OncallExplanation>;

/** `idempotent` if an earlier request with this key created the group. */
export interface MadeOncallGroup {
  group: ChangedOncallGroup;
  idempotent?: true;
}

export const Oncall = {
  list: answers<ListPage<OncallGroup>>()(
    'teams.oncall.list',
    ListOncallGroups,
    ['team.unknown', 'list.invalid_cursor'],
    'always',
  ),
  create: answers<MadeOncallGroup>()(
    'teams.oncall.create',
    CreateOncallGroup,
    [
      'team.unknown',
      'team.forbidden_role',
      'team.feature_unavailable',
      'oncall.invalid_timezone',
      'member.not_found',
      'oncall_group.unknown',
      'name.taken',
      'resource.limit_reached',
    ],
    'always',
  ),
  get: answers(OncallGroup)('teams.oncall.get', OncallGroupAt, ['oncall_group.unknown'], 'always'),
  explain: answers(OncallExplanation)(
    'teams.oncall.explain',
    OncallGroupAt,
    ['oncall_group.unknown'],
    'always',
  ),
  /** The past as it was held, by the schedules of then. */
  shifts: answers(OncallShifts)(
    'teams.oncall.shifts',
    OncallShiftsIn,
    ['oncall_group.unknown', 'input.invalid'],
    'always',
  ),
  coverage: answers(OncallCoverage)(
    'teams.oncall.coverage',
    OncallGroupById,
    ['oncall_group.unknown'],
    'always',
  ),
  change: answers(ChangedOncallGroup)('teams.oncall.change', ChangeOncallGroup, [
    'oncall_group.unknown',
    'team.forbidden_role',
    'input.empty_update',
    'oncall.invalid_timezone',
    'member.not_found',
    'name.taken',
  ]),
  remove: answers(Ok)('teams.oncall.remove', OncallGroupById, [
    'oncall_group.unknown',
    'team.forbidden_role',
  ]),
};
