import {
  About,
  bool,
  Bool,
  ChangesAnyOf,
  count,
  Glyph,
  Hue,
  Id,
  id,
  Int,
  int,
  Line,
  Link,
  list,
  ListOf,
  ListOfShapes,
  Nested,
  NotBeside,
  Nullable,
  nullable,
  Num,
  num,
  object,
  OneOf,
  oneOf,
  OnlyWhere,
  Optional,
  optional,
  resource,
  Slug,
  SomethingIn,
  type Static,
  Text,
  text,
  TrueNeeds,
  uri,
  When,
  when,
} from '@carillon/schema';
import { answers } from '../contract';
import { type ListPage, ListQuery } from '../list-page';
import {
  type ActivityLayout,
  activityLayouts,
  type ActivityTint,
  activityTints,
  type StepState,
  stepStates,
} from './activities.events';

// ---------------------------------------------------------------------------------------------------- inputs

/** A step of the layout `steps`. */
class ActivityStepInput {
  @Text(1, 32) label!: string;
  @OneOf(stepStates) state!: StepState;
}

/** The content of an activity except its title. */
abstract class CommonProps {
  @About('Displayed under the title, where space allows.')
  @Optional()
  @Nullable()
  @Text(1, 100)
  subtitle?: string | null;
  @About('A short status; the only text where space is scarce.')
  @Optional()
  @Nullable()
  @Text(1, 40)
  status?: string | null;
  @Optional()
  @Nullable()
  @Text(1, 240, { multiline: true })
  detail?: string | null;
  @About('From 0 to 1. Without it no progress is shown.')
  @Optional()
  @Nullable()
  @Num(0, 1)
  progress?: number | null;
  @About('Tint and glyph; `running` unless said.')
  @Optional()
  @Nullable()
  @OneOf(activityTints)
  state?: ActivityTint | null;
  @About('The name of a symbol, or one emoji.')
  @Optional()
  @Nullable()
  @Glyph()
  icon?: string | null;
  @About('Such as `#1f883d`.')
  @Optional()
  @Nullable()
  @Hue()
  accentColor?: string | null;
  @About('For the layout `steps` only.')
  @Optional()
  @Nullable()
  @ListOfShapes(ActivityStepInput, { min: 0, max: 12 })
  steps?: ActivityStepInput[] | null;
  @About('For the layout `terminal` only.')
  @Optional()
  @Nullable()
  @ListOf(Line.rule(80), { min: 0, max: 6 })
  lines?: string[] | null;
  @About('The phone counts up from here by itself.')
  @Optional()
  @Nullable()
  @When()
  startedAt?: string | null;
  @About('The phone counts down to here by itself. After `startedAt`.')
  @Optional()
  @Nullable()
  @When()
  endsAt?: string | null;
  @About('A picture to show with it.')
  @Optional()
  @Nullable()
  @Link('https')
  imageUrl?: string | null;
  @About('Where a tap leads.')
  @Optional()
  @Nullable()
  @Link('tap')
  url?: string | null;
}

@OnlyWhere(['steps'], 'layout', ['steps'], 'needs the layout steps')
@OnlyWhere(['lines'], 'layout', ['terminal'], 'needs the layout terminal')
export class StartProps extends CommonProps {
  @Text(1, 100) title!: string;
  @About('`standard` unless said.') @Optional() @OneOf(activityLayouts) layout?: ActivityLayout;
}

/** The props to change. Null removes a prop, or resets it to its default. */
export class ChangedProps extends CommonProps {
  @Optional() @Text(1, 100) title?: string;
  @Optional() @Nullable() @OneOf(activityLayouts) layout?: ActivityLayout | null;
}

export const activityLifetimeSeconds = { min: 60, max: 28_800, usual: 28_800 } as const;
export const dismissalSeconds = { max: 14_400, usual: 300 } as const;

/** Starts an activity on a person's phones. */
@TrueNeeds('replace', 'key')
@NotBeside('deviceIds', ['deviceGroupId'])
export class StartActivity {
  @Nested(StartProps) props!: StartProps;
  @About('A name of your own, accepted instead of the id. One activity at a time runs under it.')
  @Optional()
  @Slug()
  key?: string;
  @About('Ends the activity that runs under this key, and starts this one instead.')
  @Optional()
  @Bool()
  replace?: boolean;
  @About('When it ends by itself; 28800 unless said.')
  @Optional()
  @Int(activityLifetimeSeconds.min, activityLifetimeSeconds.max)
  expiresInSeconds?: number;
  @About('These active devices only.')
  @Optional()
  @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true })
  deviceIds?: string[];
  @About('The devices of this group, and the inboxes of its people.')
  @Optional()
  @Id('dgr')
  deviceGroupId?: string;
}

/** Selects an activity by its id, or by the key from the calling token. */
export class ActivityByIdentifier {
  @About('`act_…`, or the key that this token started it with.') @Id() identifier!: string;
}

@ChangesAnyOf('props')
@SomethingIn('props')
export class UpdateActivity extends ActivityByIdentifier {
  @About('What changes; the rest stays as it is.')
  @Optional()
  @Nested(ChangedProps)
  props?: ChangedProps;
  @About('`high` for a milestone that a person waits for: 4 a minute and 20 an hour are granted.')
  @Optional()
  @OneOf(['normal', 'high'])
  priority?: 'normal' | 'high';
}

export class EndActivity extends ActivityByIdentifier {
  @About('How it looks in the end, where that is different.')
  @Optional()
  @Nested(ChangedProps)
  props?: ChangedProps;
  @About('How long the phone may still show it; 300 unless said.')
  @Optional()
  @Int(0, dismissalSeconds.max)
  dismissAfterSeconds?: number;
}

const activityStatuses = ['starting', 'active', 'partial', 'failed', 'ended', 'expired'] as const;
export type ActivityStatus = (typeof activityStatuses)[number];

export class ListActivities extends ListQuery {
  @About('Those with one of these; may be there several times.')
  @Optional()
  @ListOf(OneOf.rule(activityStatuses), { min: 1, max: activityStatuses.length })
  status?: ActivityStatus[];
  @Optional() @Slug() key?: string;
}

const promptKinds = ['approval', 'yes_no', 'reply'] as const;

/** The prompt for an activity to show. */
export class PromptToShow {
  @Id('int') id!: string;
  @OneOf(promptKinds) kind!: (typeof promptKinds)[number];
  @Nullable() @Text(1, 24) primaryLabel!: string | null;
  @Nullable() @Text(1, 24) secondaryLabel!: string | null;
  /** The digest that the answer must have. */
  @Text(1, 200) actionDigest!: string;
}

/**
 * Reserves capacity for a prompt's activity on its devices. The activity starts when `InteractionAsked` with its id is
 * in the log; without that event the capacity is free again after a minute. Repeating the request gives the same
 * activity.
 */
export class AdmitPrompt {
  @Nested(PromptToShow) prompt!: PromptToShow;
  @Text(1, 120) title!: string;
  /** The question. */
  @Text(1, 4000, { multiline: true }) text!: string;
  @Optional() @Nullable() @Link('https') imageUrl?: string | null;
  @Optional() @Nullable() @Link('tap') url?: string | null;
  /** The name of the asker. */
  @Text(1, 200) sourceName!: string;
  @When() expiresAt!: string;
  @Optional() @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true }) deviceIds?: string[];
  @Optional() @Id('dgr') deviceGroupId?: string;
  /** Also rings devices in their quiet hours. */
  @Optional() @Bool() urgent?: boolean;
}

export interface AdmittedPrompt {
  activityId: string;
  /** The accounts that have the activity besides the owner. */
  recipients?: string[];
  /** The devices for the activity, all of them capable of it. */
  deviceIds: string[];
  /** The number of queued device starts, which are all of them. */
  queued: number;
  /** How many of the devices show it silently for their quiet hours; absent when none does. */
  quiet?: number;
}

// --------------------------------------------------------------------------------------------------- answers

const activityWarnings = ['update_token_delayed'] as const;
export type ActivityWarning = (typeof activityWarnings)[number];

export const Readiness = resource(
  'LiveActivityReadiness',
  {
    ready: count('Devices that show it and take updates.'),
    queuedStarts: count('Devices whose start has not been accepted yet.'),
    awaitingUpdateToken: count('Devices that show it, but have not said yet where updates reach it.'),
    warnings: list(
      oneOf(
        activityWarnings,
        '`update_token_delayed`: a device has shown it for 30 s and takes no updates yet.',
      ),
    ),
    nextStartAt: nullable(when('When the next device start is made.')),
  },
  'How far the devices are.',
);
export type Readiness = Static<typeof Readiness>;

const interactionKinds = oneOf(promptKinds);

export const LiveActivityProps = resource(
  'LiveActivityProps',
  {
    title: text(),
    subtitle: nullable(text()),
    status: nullable(text()),
    detail: nullable(text()),
    progress: nullable(num()),
    layout: oneOf(activityLayouts),
    state: oneOf(activityTints),
    icon: nullable(text()),
    accentColor: nullable(text()),
    steps: nullable(list(object({ label: text(), state: oneOf(stepStates) }))),
    lines: nullable(list(text())),
    startedAt: nullable(when()),
    endsAt: nullable(when()),
    imageUrl: nullable(uri()),
    url: nullable(uri()),
    interaction: optional(
      object(
        {
          id: id('int'),
          kind: interactionKinds,
          primaryLabel: nullable(text()),
          secondaryLabel: nullable(text()),
        },
        'The prompt that it shows. Read-only.',
      ),
    ),
  },
  'What the phones show: every prop, defaults filled, null where there is nothing.',
);
export type LiveActivityProps = Static<typeof LiveActivityProps>;

export const LiveActivity = resource(
  'LiveActivity',
  {
    id: id('act'),
    key: nullable(text()),
    props: LiveActivityProps,
    status: oneOf(activityStatuses),
    sequence: count('1 for the start, one more with every change.'),
    accepted: count('Devices whose provider has accepted the latest change.'),
    failed: count('Devices whose provider has refused the latest change for good.'),
    expiresAt: when(),
    createdAt: when(),
    updatedAt: when(),
    endedAt: nullable(when()),
    readiness: Readiness,
  },
  'Progress that phones show as long as it lasts.',
);
export type LiveActivity = Static<typeof LiveActivity>;

const priorityReasons = ['routine', 'milestone', 'budget_exhausted', 'start', 'end', 'interaction'] as const;

export const LiveActivityMutation = resource('LiveActivityMutation', {
  activity: LiveActivity,
  accepted: count('Devices whose provider has accepted this change by the time of the answer.'),
  failed: count('Devices whose provider has refused it for good by then.'),
  apnsPriority: optional({
    ...int(),
    json: { type: 'integer', enum: [5, 10], description: 'The priority on the way to iOS devices.' },
  }),
  priorityReason: optional(oneOf(priorityReasons)),
  queued: optional(
    count(
      'Device operations of this change that are stored and wait: for their turn, for an update token of iOS, or for the provider.',
    ),
  ),
  superseded: optional(count('Unsent routine changes that this one has superseded.')),
  replaced: optional(count('Devices that showed the activity which this one replaces.')),
  idempotent: optional(bool('True when an earlier request did it.')),
  message: optional(text('A word on what happened, when there is one to say.')),
});
export type LiveActivityMutation = Static<typeof LiveActivityMutation>;

export const Activities = {
  start: answers(LiveActivityMutation)(
    'activities.activity.start',
    StartActivity,
    [
      'input.invalid',
      'device.not_found',
      'device_group.not_found',
      'activity.key_conflict',
      'activity.capacity_exceeded',
      'activity.no_eligible_devices',
      'activity.props_too_large',
    ],
    'with_key',
  ),
  update: answers(LiveActivityMutation)(
    'activities.activity.update',
    UpdateActivity,
    [
      'input.invalid',
      'input.empty_update',
      'activity.not_found',
      'activity.not_running',
      'activity.props_too_large',
    ],
    'with_key',
  ),
  end: answers(LiveActivityMutation)(
    'activities.activity.end',
    EndActivity,
    ['input.invalid', 'activity.not_found', 'activity.props_too_large'],
    'with_key',
  ),
  get: answers(object({ activity: LiveActivity }))(
    'activities.activity.get',
    ActivityByIdentifier,
    ['activity.not_found'],
    'always',
  ),
  /** The activities of the calling token. */
  list: answers<ListPage<LiveActivity>>()(
    'activities.activity.list',
    ListActivities,
    ['list.invalid_cursor'],
    'always',
  ),
  /** For the interactions service only. */
  admit: answers<AdmittedPrompt>()(
    'activities.activity.admit',
    AdmitPrompt,
    [
      'device.not_found',
      'device_group.not_found',
      'activity.capacity_exceeded',
      'activity.no_eligible_devices',
    ],
    'always',
  ),
};
