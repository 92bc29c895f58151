import { hour, spend } from './budget.js';
import { contentDefect, isContent } from './content.js';

/** A live activity on a phone. */
export interface Activity {
  activityId: string;
  /** `stale` is still running. What is dismissed is no longer on the screen. */
  state: 'active' | 'stale' | 'ended' | 'dismissed';
  contentState: Record<string, unknown>;
  sequence: number;
  /** Of the newest content, in whole seconds; what is not newer is ignored. iOS only. */
  timestamp: number;
  updateToken?: string | undefined;
  updateTokenRegistered: boolean;
  relevance?: number | undefined;
  staleDate?: string | undefined;
  /** What the end asked for. */
  dismissalDate?: string | undefined;
  /** When it leaves the screen by itself: an ended one, or on Android a running one that nobody ends. */
  leavesAt?: string | undefined;
  startedAt: string;
  updatedAt: string;
  endedAt?: string | undefined;
  endedBy?: EndedBy | undefined;
  dismissedAt?: string | undefined;
}

/** Who or what ended an activity. */
export type EndedBy = 'a push' | 'the 8-hour limit' | 'its expiry' | 'the person' | 'the switch' | 'sign-out';

/** The live-activity part of a push. */
export interface ActivityPush {
  event: string;
  /** Known from the update token, or named by the payload. */
  activityId?: string | undefined;
  by: 'start token' | 'update token' | 'device token';
  /** The priority that APNs was asked for. */
  priority: number;
  timestamp?: number | undefined;
  /** Of an Android message. */
  seq?: number | undefined;
  contentState?: unknown;
  attributesType?: string | undefined;
  attributes?: Record<string, unknown> | undefined;
  hasAlert: boolean;
  relevance?: number | undefined;
  /** Epoch seconds. */
  staleDate?: number | undefined;
  dismissalDate?: number | undefined;
  expiryDate?: number | undefined;
}

/** What of a phone matters to its activities. */
export interface ActivityScreen {
  platform: 'ios' | 'android' | 'web';
  settings: {
    authorized: boolean;
    liveActivities: boolean;
    /** The person lets the app update often; off leaves a quarter of the budget. */
    frequentPushes: boolean;
    /** Updates and ends at priority 10 that an iPhone takes in an hour; null = any number. */
    highPriorityPerHour: number | null;
    /** The same for push-to-start, at any priority. */
    startsPerHour: number | null;
  };
  activities: Activity[];
  /** When what has a limit was used, in epoch milliseconds. */
  spent: { high: number[]; starts: number[]; messages: number[] };
}

/** What became of an activity push. */
export interface ActivityOutcome {
  shown: boolean;
  why?: string | undefined;
  /** It has just started, and has no update token yet. */
  started?: Activity | undefined;
}

/** The type of the app's activities; the system starts no other. */
const activityType = 'CarillonActivity';

const runningLimit = 5;
const runningTime = 8 * hour;
const endedTime = 4 * hour;
const restrictedShare = 0.25;

/** True until it is ended: a stale one runs too. */
export const isRunning = ({ state }: Activity): boolean => state === 'active' || state === 'stale';

/** A live-activity push has come through: starts, updates or ends an activity. */
export function changeActivity(screen: ActivityScreen, part: ActivityPush, now: number): ActivityOutcome {
  ageActivities(screen, now);
  return screen.platform === 'ios' ? changeOnIos(screen, part, now) : changeOnAndroid(screen, part, now);
}

/** Does what time alone does: looks stale, ends after eight hours, leaves the screen. True when something changed. */
export function ageActivities(screen: ActivityScreen, now: number): boolean {
  let changed = false;
  for (const activity of screen.activities) {
    const before = activity.state;
    if (isRunning(activity)) {
      const limit = Date.parse(activity.startedAt) + runningTime;
      if (screen.platform === 'ios' && limit <= now) {
        end(activity, limit, 'the 8-hour limit');
        activity.leavesAt = new Date(limit + endedTime).toISOString();
      } else if (screen.platform === 'android' && isPast(activity.leavesAt, now)) {
        end(activity, Date.parse(activity.leavesAt!), 'its expiry');
      } else if (isPast(activity.staleDate, now)) activity.state = 'stale';
    }
    if (activity.state === 'ended' && isPast(activity.leavesAt, now))
      dismiss(activity, Date.parse(activity.leavesAt!));
    changed ||= activity.state !== before;
  }
  return changed;
}

/** Takes an activity off the screen now, running or not. */
export function dismissActivity(activity: Activity, now: number, by: EndedBy): void {
  if (isRunning(activity)) end(activity, now, by);
  if (activity.state === 'ended') dismiss(activity, now);
}

function changeOnIos(screen: ActivityScreen, part: ActivityPush, now: number): ActivityOutcome {
  const { settings } = screen;
  if (!settings.liveActivities) return hidden('live activities are switched off on this phone');
  const dropped = overBudget(screen, part, now);
  if (dropped) return hidden(dropped);
  const { timestamp, event } = part;
  if (timestamp === undefined) return hidden('ignored: a live-activity push without timestamp');
  if (event === 'start') return startOnIos(screen, part, timestamp, now);
  if (event !== 'update' && event !== 'end') return hidden(`ignored: unknown event ${event}`);
  if (part.by === 'start token') return hidden(`ignored: event ${event} on the push-to-start token`);
  const activity = find(screen, part.activityId);
  if (!activity) return hidden(`ignored: no activity ${part.activityId ?? ''} on this phone`);
  if (!isRunning(activity)) return hidden(`ignored: ${over(activity)}`);
  if (timestamp <= activity.timestamp)
    return hidden(`ignored: timestamp ${timestamp} is not newer than ${activity.timestamp}`);
  if (event === 'update' && part.contentState === undefined)
    return hidden('ignored: an update without content-state');
  const defect = part.contentState === undefined ? undefined : contentDefect(part.contentState);
  if (defect) return hidden(`ignored: the app cannot read the content-state: ${defect}`);
  activity.timestamp = timestamp;
  if (part.relevance !== undefined) activity.relevance = part.relevance;
  take(activity, part, now);
  if (event === 'end') {
    end(activity, now, 'a push');
    activity.dismissalDate = instant(part.dismissalDate);
    const asked = part.dismissalDate === undefined ? Infinity : part.dismissalDate * 1000;
    activity.leavesAt = new Date(Math.min(Math.max(asked, now), now + endedTime)).toISOString();
  }
  ageActivities(screen, now);
  return { shown: true };
}

function startOnIos(
  screen: ActivityScreen,
  part: ActivityPush,
  timestamp: number,
  now: number,
): ActivityOutcome {
  if (part.by === 'update token') return hidden('ignored: a start push on an update token');
  if (!part.attributesType || !part.attributes)
    return hidden('not started: attributes-type and attributes are needed');
  if (part.attributesType !== activityType)
    return hidden(`not started: the app has no activity type ${part.attributesType}`);
  if (!part.activityId) return hidden('not started: the attributes carry no activityId');
  if (!part.hasAlert) return hidden('not started: a start push needs an alert');
  if (part.contentState === undefined) return hidden('not started: no content-state');
  if (!isContent(part.contentState))
    return hidden(`not started: the app cannot read the content-state: ${contentDefect(part.contentState)}`);
  const { sequence } = part.contentState;
  const before = find(screen, part.activityId);
  // The system would start a second one. The app, woken for its token, ends it when it shows nothing new.
  if (before && (isRunning(before) || sequence <= before.sequence))
    return hidden(`${part.activityId} was started before: the app ended the second one at once`);
  const running = screen.activities.filter(isRunning).length;
  if (running >= runningLimit)
    return hidden(
      `not started: ${running} activities of this app are running, the most that iOS lets it have`,
    );
  const activity = put(screen, part.activityId, now);
  activity.timestamp = timestamp;
  activity.relevance = part.relevance;
  take(activity, part, now);
  ageActivities(screen, now);
  return {
    shown: true,
    started: activity,
    ...(screen.settings.authorized
      ? {}
      : { why: 'without its alert: notifications are not allowed on this phone' }),
  };
}

/** What the device throttles without a word, after the sender has its 200. */
function overBudget(screen: ActivityScreen, part: ActivityPush, now: number): string | undefined {
  const { startsPerHour, highPriorityPerHour, frequentPushes } = screen.settings;
  if (part.event === 'start') {
    if (startsPerHour === null) return undefined;
    return spend(screen.spent.starts, now, [{ count: startsPerHour, ms: hour }])
      ? undefined
      : `dropped: the budget of ${startsPerHour} push-to-start pushes an hour is used up`;
  }
  if (part.priority !== 10 || highPriorityPerHour === null) return undefined;
  const count = frequentPushes ? highPriorityPerHour : Math.floor(highPriorityPerHour * restrictedShare);
  return spend(screen.spent.high, now, [{ count, ms: hour }])
    ? undefined
    : `dropped: the budget of ${count} pushes at priority 10 an hour is used up`;
}

function changeOnAndroid(screen: ActivityScreen, part: ActivityPush, now: number): ActivityOutcome {
  const { event, activityId, seq } = part;
  if (event !== 'start' && event !== 'update' && event !== 'end')
    return hidden(`the app dropped it: unknown event ${event}`);
  if (!activityId) return hidden('the app dropped it: no activityId');
  if (seq === undefined || !Number.isSafeInteger(seq))
    return hidden('the app dropped it: no seq, so it cannot be put in order');
  if (part.contentState === undefined && event !== 'end')
    return hidden('the app dropped it: no contentState, or none that is JSON');
  const defect = part.contentState === undefined ? undefined : contentDefect(part.contentState);
  if (defect) return hidden(`the app dropped it: it cannot read the contentState: ${defect}`);
  let activity = find(screen, activityId);
  if (activity && seq <= activity.sequence)
    return hidden(`the app dropped it: seq ${seq} is not newer than ${activity.sequence}`);
  if (activity && !isRunning(activity) && event !== 'start')
    return hidden(`the app dropped it: ${over(activity)}`);
  if (event !== 'end' && !screen.settings.authorized)
    return hidden('notifications are not allowed on this phone');
  const wasThere = activity !== undefined;
  // Nothing keeps messages in order: an update may be the first that comes, and it carries everything. An end is
  // remembered so that what is older stays away.
  if (!activity || !isRunning(activity)) activity = put(screen, activityId, now);
  take(activity, part, now);
  activity.sequence = seq;
  activity.leavesAt = instant(part.expiryDate);
  if (event === 'end') {
    if (isRunning(activity)) end(activity, now, 'a push');
    activity.dismissalDate = instant(part.dismissalDate);
    activity.leavesAt = activity.dismissalDate ?? new Date(now).toISOString();
    if (!wasThere || !screen.settings.authorized) dismissActivity(activity, now, 'a push');
  }
  ageActivities(screen, now);
  if (event === 'end' && !wasThere) return hidden(`${activityId} was not on the screen`);
  return screen.settings.liveActivities
    ? { shown: true }
    : { shown: true, why: 'as an ordinary notification: live updates are switched off on this phone' };
}

const hidden = (why: string): ActivityOutcome => ({ shown: false, why });

const find = (screen: ActivityScreen, activityId: string | undefined): Activity | undefined =>
  screen.activities.find((other) => other.activityId === activityId);

/** A new activity; it replaces an earlier one with its id. */
function put(screen: ActivityScreen, activityId: string, now: number): Activity {
  const at = new Date(now).toISOString();
  const activity: Activity = {
    activityId,
    state: 'active',
    contentState: {},
    sequence: 0,
    timestamp: 0,
    updateTokenRegistered: false,
    startedAt: at,
    updatedAt: at,
  };
  const before = screen.activities.findIndex((other) => other.activityId === activityId);
  if (before < 0) screen.activities.push(activity);
  else screen.activities[before] = activity;
  return activity;
}

/** New content: it is fresh until its own stale date. */
function take(activity: Activity, part: ActivityPush, now: number): void {
  if (isContent(part.contentState)) {
    activity.contentState = part.contentState;
    activity.sequence = part.contentState.sequence;
  }
  activity.updatedAt = new Date(now).toISOString();
  activity.staleDate = instant(part.staleDate);
  if (activity.state === 'stale') activity.state = 'active';
}

function end(activity: Activity, at: number, by: EndedBy): void {
  activity.state = 'ended';
  activity.endedAt = new Date(at).toISOString();
  activity.endedBy = by;
}

function dismiss(activity: Activity, at: number): void {
  activity.state = 'dismissed';
  activity.dismissedAt = new Date(at).toISOString();
}

const over = ({ activityId, state, endedBy }: Activity): string =>
  endedBy === 'a push'
    ? `${activityId} has ended`
    : `${activityId} was ${state === 'dismissed' ? 'dismissed' : 'ended'} by ${endedBy}`;

const isPast = (time: string | undefined, now: number): boolean =>
  time !== undefined && Date.parse(time) <= now;

const instant = (seconds: number | undefined): string | undefined =>
  seconds === undefined || !Number.isFinite(seconds) || Math.abs(seconds) > 8e12
    ? undefined
    : new Date(seconds * 1000).toISOString();
