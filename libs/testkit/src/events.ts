import type {
  ActivityProps,
  ActivityStarted,
  EventReceived,
  InteractionAsked,
  NotificationSent,
  PageNotified,
  PushReported,
} from '@carillon/contracts';
import { plus } from '@carillon/eventing';

/*
 * Events as a follower of the log meets them. A spec says what its story is about; the rest is like any other's. The
 * spec of the noun that writes an event spells it out.
 */

/** What a spec says of an event itself. */
type EventFields<Event> = Partial<Omit<Event, 'type'>>;

const at = '2026-11-20T09:00:00.000Z';

export const notificationSent = (said: EventFields<NotificationSent> = {}): NotificationSent => ({
  type: 'NotificationSent',
  notificationId: 'anot_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  sourceName: 'CI',
  title: 'Build finished',
  body: 'main is green',
  summary: null,
  bodyFormat: 'text',
  imageUrl: null,
  url: null,
  projectId: null,
  projectName: null,
  appId: null,
  deviceIds: ['dev_1'],
  fingerprint: null,
  sentAt: at,
  ...said,
});

export const eventReceived = (said: EventFields<EventReceived> = {}): EventReceived => ({
  type: 'EventReceived',
  eventId: 'evt_1',
  accountId: 'usr_1',
  serviceId: 'svc_1',
  serviceTitle: 'CI',
  serviceImageUrl: null,
  title: 'Build finished',
  body: 'main is green',
  bodyFormat: 'text',
  imageUrl: null,
  url: null,
  appId: null,
  limitedBy: null,
  deviceIds: ['dev_1'],
  fingerprint: null,
  receivedAt: at,
  ...said,
});

/** An approval that is shown as a notification, for an hour. */
export const interactionAsked = (said: EventFields<InteractionAsked> = {}): InteractionAsked => ({
  type: 'InteractionAsked',
  interactionId: 'int_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  kind: 'approval',
  presentation: 'notification',
  title: 'Deploy?',
  prompt: 'Deploy main to production?',
  choices: ['approve', 'deny'],
  primaryLabel: null,
  secondaryLabel: null,
  imageUrl: null,
  url: null,
  actionDigest: `sha256:${'0'.repeat(64)}`,
  sourceName: 'CI',
  sourceImageUrl: null,
  serviceId: null,
  projectId: null,
  projectName: null,
  webhookIds: [],
  deviceIds: ['dev_1'],
  liveActivityId: null,
  fingerprint: null,
  askedAt: at,
  expiresAt: plus(said.askedAt ?? at, 3_600_000),
  ...said,
});

/** What an activity shows that was given a title only. */
export const activityProps = (said: Partial<ActivityProps> = {}): ActivityProps => ({
  title: 'Build',
  subtitle: null,
  status: null,
  detail: null,
  progress: null,
  layout: 'standard',
  state: 'running',
  icon: null,
  accentColor: null,
  steps: null,
  lines: null,
  startedAt: null,
  endsAt: null,
  imageUrl: null,
  url: null,
  ...said,
});

/** An activity for an hour. */
export const activityStarted = (said: EventFields<ActivityStarted> = {}): ActivityStarted => ({
  type: 'ActivityStarted',
  activityId: 'act_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  sourceName: 'CI',
  key: null,
  props: activityProps(),
  prompt: null,
  deviceIds: ['dev_1'],
  replacedId: null,
  fingerprint: null,
  sequence: 1,
  startedAt: at,
  expiresAt: plus(said.startedAt ?? at, 3_600_000),
  ...said,
});

/** A page goes to `usr_1`, who is on call, on one phone. */
export const pageNotified = (said: EventFields<PageNotified> = {}): PageNotified => ({
  type: 'PageNotified',
  pageId: 'page_1',
  groupId: 'ocg_1',
  teamId: 'team_1',
  step: 0,
  by: null,
  target: 'current',
  people: [{ accountId: 'usr_1', pushId: 'psh_1', deviceIds: ['dev_1'] }],
  groupName: 'Backend',
  title: 'The shop is down',
  body: null,
  url: null,
  notifiedAt: at,
  nextEscalationAt: plus(said.notifiedAt ?? at, 300_000),
  ...said,
});

/** The last report of a push that reached nobody. */
export const pushReported = (said: EventFields<PushReported> = {}): PushReported => ({
  type: 'PushReported',
  subjectId: 'anot_1',
  accountId: 'usr_1',
  accepted: 0,
  receipts: [],
  final: true,
  reportedAt: at,
  ...said,
});
