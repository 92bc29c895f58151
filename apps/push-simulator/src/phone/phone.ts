/** Where an APNs token is valid. */
export type Environment = 'sandbox' | 'production';

/** The switches of a phone. */
export interface Settings {
  online: boolean;
  authorized: boolean;
  liveActivities: boolean;
  interactiveLiveActivities: boolean;
  registerUpdateTokens: 'auto' | 'manual';
}

/** How a phone reaches the Session API of the house it is paired with. */
export interface Pairing {
  baseUrl: string;
  accessToken: string;
  refreshToken?: string | undefined;
}

/** What a person can press. */
export interface Action {
  answer: string;
  label: string;
}

/** A notification that lies in the tray. */
export interface Shown {
  id: string;
  type?: string | undefined;
  title: string;
  body: string;
  category: string | null;
  actions: Action[];
  /** A reply may be typed. */
  reply: boolean;
  promptId?: string | undefined;
  actionDigest?: string | undefined;
  url?: string | undefined;
  imageUrl?: string | undefined;
  threadId?: string | undefined;
  interruptionLevel?: string | undefined;
  collapseId?: string | undefined;
  seq?: number | undefined;
  expiresAt?: string | undefined;
  receivedAt: string;
}

/** A live activity on a phone. */
export interface Activity {
  activityId: string;
  state: 'started' | 'ended';
  attributesType?: string | undefined;
  attributes: Record<string, unknown>;
  contentState: Record<string, unknown>;
  sequence: number;
  /** Of the newest content, in whole seconds; older pushes are ignored. */
  timestamp: number;
  updateToken?: string | undefined;
  updateTokenRegistered: boolean;
  staleDate?: string | undefined;
  dismissalDate?: string | undefined;
  startedAt: string;
  endedAt?: string | undefined;
}

/** A push as a phone sees it, whichever provider brought it. */
export interface Push {
  /** apns-id, or the name that FCM gave. */
  id: string;
  /** Number of the record of this push on this phone. */
  n: number;
  provider: 'apns' | 'fcm';
  kind: 'show' | 'withdraw' | 'activity' | 'silent';
  /** Why a silent push shows nothing. */
  silence?: string | undefined;
  type?: string | undefined;
  contentId?: string | undefined;
  title: string;
  body: string;
  category?: string | undefined;
  labels: string[];
  actionDigest?: string | undefined;
  url?: string | undefined;
  imageUrl?: string | undefined;
  threadId?: string | undefined;
  interruptionLevel?: string | undefined;
  collapseId?: string | undefined;
  seq?: number | undefined;
  expiresAt?: string | undefined;
  /** Which stored push a newer one takes the place of while the phone is away. */
  slot: string;
  /** Epoch milliseconds until which the provider tries; 0 = once, now or never. */
  until: number;
  activity?: ActivityPush | undefined;
}

/** The live-activity part of a push. */
export interface ActivityPush {
  event: string;
  /** Known from the update token, or named by the start push. */
  activityId?: string | undefined;
  by: 'start token' | 'update token' | 'device token';
  timestamp?: number | undefined;
  contentState?: Record<string, unknown> | undefined;
  attributesType?: string | undefined;
  attributes?: Record<string, unknown> | undefined;
  hasAlert: boolean;
  staleDate?: number | undefined;
  dismissalDate?: number | undefined;
}

/** A simulated phone with one app on it. */
export interface Phone {
  id: string;
  platform: 'ios' | 'android';
  name: string;
  environment: Environment;
  bundleId: string;
  installId: string;
  createdAt: string;
  pushToken: string;
  pushToStartToken?: string | undefined;
  /** Tokens that were replaced or whose app is gone, and since when. */
  deadTokens: { token: string; at: number }[];
  uninstalledAt?: number | undefined;
  deviceId?: string | undefined;
  pairing?: Pairing | undefined;
  settings: Settings;
  tray: Shown[];
  activities: Activity[];
  stored: Push[];
  /** What each prompt showed, kept after it left the tray: a person may have pressed a moment ago. */
  digests: { promptId: string; actionDigest: string }[];
}

/** What became of a push on a phone. */
export interface Outcome {
  shown: boolean;
  why?: string | undefined;
  /** The app tells the service that this notification arrived. */
  receiptFor?: string | undefined;
  /** Records of stored pushes that this one took the place of. */
  replaced?: number[] | undefined;
  /** An activity that has just started and has no update token yet. */
  started?: Activity | undefined;
}

const trayLimit = { ios: 200, android: 50 };
const activityLimit = 50;
const digestLimit = 200;
const fcmStoredLimit = 100;
const fcmCollapseKeys = 4;

/** A push arrives for a phone: it is shown, kept by the provider, or dropped. */
export function arrive(phone: Phone, push: Push, now: number): Outcome {
  if (phone.uninstalledAt !== undefined) return hidden('the app is not installed');
  if (!phone.settings.online) return keep(phone, push, now);
  if (push.until !== 0 && push.until <= now) return hidden('dropped: it had expired');
  return open(phone, push, now);
}

/** The phone is reachable again: the provider hands over what it kept. */
export function reconnect(phone: Phone, now: number): { push: Push; outcome: Outcome }[] {
  const kept = phone.stored;
  phone.stored = [];
  return kept.map((push) => ({
    push,
    outcome:
      push.until <= now ? hidden('dropped: it expired while the phone was offline') : open(phone, push, now),
  }));
}

/** The app is removed: nothing of it stays. All its tokens are dead from now on. */
export function uninstall(phone: Phone, now: number): void {
  if (phone.uninstalledAt !== undefined) return;
  phone.uninstalledAt = now;
  for (const { updateToken } of phone.activities)
    if (updateToken) phone.deadTokens.push({ token: updateToken, at: now });
  phone.tray = [];
  phone.activities = [];
  phone.stored = [];
}

/** What a prompt showed to the person, even when it has left the tray. */
export function digestOf(phone: Phone, promptId: string): string | undefined {
  return phone.digests.find((entry) => entry.promptId === promptId)?.actionDigest;
}

/** Takes every notification with this content id out of the tray; says how many there were. */
export function removeFromTray(phone: Phone, contentId: string): number {
  const before = phone.tray.length;
  phone.tray = phone.tray.filter((shown) => shown.id !== contentId);
  return before - phone.tray.length;
}

const hidden = (why: string): Outcome => ({ shown: false, why });

function keep(phone: Phone, push: Push, now: number): Outcome {
  if (push.until === 0) return hidden('dropped: the phone is offline and the push is not to be stored');
  if (push.until <= now) return hidden('dropped: it had expired');
  // APNs keeps one push per topic, FCM one per collapse key: the newest takes the place.
  const replaced = phone.stored.filter((other) => other.slot === push.slot).map((other) => other.n);
  phone.stored = phone.stored.filter((other) => other.slot !== push.slot);
  phone.stored.push(push);
  if (push.provider === 'fcm') {
    const collapsible = phone.stored.filter((other) => other.slot.startsWith('key:'));
    if (collapsible.length > fcmCollapseKeys)
      phone.stored = phone.stored.filter((other) => other !== collapsible[0]);
    // As FCM does when a phone has been away for too much: everything goes.
    if (phone.stored.length > fcmStoredLimit) {
      phone.stored = [];
      return hidden(`dropped with all others: more than ${fcmStoredLimit} were waiting for the phone`);
    }
  }
  return { ...hidden('stored: the phone is offline'), replaced };
}

function open(phone: Phone, push: Push, now: number): Outcome {
  switch (push.kind) {
    case 'silent':
      return hidden(push.silence ?? 'nothing to show');
    case 'withdraw': {
      if (!push.contentId) return hidden('a withdrawal that names no id');
      const removed = removeFromTray(phone, push.contentId);
      return hidden(removed > 0 ? `withdrew ${push.contentId}` : `${push.contentId} was not in the tray`);
    }
    case 'activity':
      return change(phone, push, push.activity!, now);
    case 'show':
      return show(phone, push, now);
  }
}

function show(phone: Phone, push: Push, now: number): Outcome {
  if (!phone.settings.authorized) return hidden('notifications are not allowed on this phone');
  if (push.expiresAt !== undefined && Date.parse(push.expiresAt) <= now)
    return hidden('the app dropped it: it had expired');
  const id = push.contentId ?? push.id;
  // On Android the app itself names the notification by its id, so the same id is the same notification. On
  // iOS only the collapse id does that: without one a second push is a second notification.
  const same = (other: Shown) =>
    (push.collapseId !== undefined && other.collapseId === push.collapseId) ||
    (phone.platform === 'android' && other.id === id);
  const older = phone.tray.find(same);
  if (older?.seq !== undefined && push.seq !== undefined && push.seq < older.seq)
    return hidden(`the app dropped it: seq ${push.seq} is older than ${older.seq}`);
  const buttons = buttonsOf(push);
  const promptId = push.type === 'prompt' ? push.contentId : undefined;
  if (promptId && push.actionDigest) rememberDigest(phone, promptId, push.actionDigest);
  const shown: Shown = {
    id,
    type: push.type,
    title: push.title,
    body: push.body,
    category: push.category ?? null,
    actions: buttons.actions,
    reply: buttons.reply,
    promptId,
    actionDigest: push.actionDigest,
    url: push.url,
    imageUrl: push.imageUrl,
    threadId: push.threadId,
    interruptionLevel: push.interruptionLevel,
    collapseId: push.collapseId,
    seq: push.seq,
    expiresAt: push.expiresAt,
    receivedAt: new Date(now).toISOString(),
  };
  const rest = older ? phone.tray.filter((other) => !same(other)) : phone.tray;
  rest.unshift(shown);
  if (rest.length > trayLimit[phone.platform]) rest.length = trayLimit[phone.platform];
  phone.tray = rest;
  return {
    shown: true,
    why: buttons.why,
    receiptFor: push.type === 'notification' ? push.contentId : undefined,
  };
}

function buttonsOf(push: Push): { actions: Action[]; reply: boolean; why?: string } {
  const [first, second] = push.labels;
  switch (push.category) {
    case undefined:
      return push.type === 'prompt'
        ? { actions: [], reply: false, why: 'a prompt without a category: no buttons' }
        : { actions: [], reply: false };
    case 'CARILLON_APPROVAL':
      return {
        actions: [
          { answer: 'approved', label: first ?? 'Approve' },
          { answer: 'denied', label: second ?? 'Deny' },
        ],
        reply: false,
      };
    case 'CARILLON_YES_NO':
      return {
        actions: [
          { answer: 'yes', label: first ?? 'Yes' },
          { answer: 'no', label: second ?? 'No' },
        ],
        reply: false,
      };
    case 'CARILLON_REPLY':
      return { actions: push.labels.map((label) => ({ answer: label, label })), reply: true };
    default:
      return {
        actions: [],
        reply: false,
        why: `the app registers no category ${push.category}: no buttons`,
      };
  }
}

function rememberDigest(phone: Phone, promptId: string, actionDigest: string): void {
  phone.digests = phone.digests.filter((entry) => entry.promptId !== promptId);
  phone.digests.push({ promptId, actionDigest });
  if (phone.digests.length > digestLimit) phone.digests.shift();
}

/** A live-activity push: starts, updates or ends an activity. */
function change(phone: Phone, push: Push, part: ActivityPush, now: number): Outcome {
  if (!phone.settings.liveActivities) return hidden('live activities are switched off on this phone');
  if (part.timestamp === undefined) return hidden('ignored: a live-activity push without timestamp');
  const content = part.contentState ?? {};
  const prompt = content.interaction as { id?: unknown; actionDigest?: unknown } | null | undefined;
  const digest = prompt?.actionDigest ?? content.actionDigest ?? part.attributes?.actionDigest;
  if (typeof prompt?.id === 'string' && typeof digest === 'string') rememberDigest(phone, prompt.id, digest);

  if (part.event === 'start') {
    if (part.by === 'update token') return hidden('ignored: a start push on an update token');
    if (!part.activityId) return hidden('not started: the attributes carry no activityId');
    if (phone.platform === 'ios') {
      if (!part.attributesType || !part.attributes)
        return hidden('not started: attributes-type and attributes are needed');
      if (!part.hasAlert) return hidden('not started: a start push needs an alert');
    }
    if (!part.contentState) return hidden('not started: no content-state');
    if (phone.activities.some((other) => other.activityId === part.activityId))
      return hidden(`${part.activityId} was started before`);
    const activity: Activity = {
      activityId: part.activityId,
      state: 'started',
      attributesType: part.attributesType,
      attributes: part.attributes ?? {},
      contentState: content,
      sequence: sequenceOf(content, push) ?? 1,
      timestamp: part.timestamp,
      updateTokenRegistered: false,
      staleDate: instant(part.staleDate),
      startedAt: new Date(now).toISOString(),
    };
    phone.activities.push(activity);
    if (phone.activities.length > activityLimit) phone.activities.shift();
    return { shown: true, started: activity };
  }
  if (part.event !== 'update' && part.event !== 'end') return hidden(`ignored: unknown event ${part.event}`);
  if (part.by === 'start token') return hidden(`ignored: event ${part.event} on the push-to-start token`);
  const activity = phone.activities.find((other) => other.activityId === part.activityId);
  if (!activity) return hidden(`ignored: no activity ${part.activityId ?? ''} on this phone`);
  if (activity.state === 'ended') return hidden(`ignored: ${activity.activityId} has ended`);
  if (part.timestamp < activity.timestamp)
    return hidden(`ignored: timestamp ${part.timestamp} is older than ${activity.timestamp}`);
  const sequence = sequenceOf(content, push);
  if (phone.platform === 'android' && sequence !== undefined && sequence < activity.sequence)
    return hidden(`the app dropped it: seq ${sequence} is older than ${activity.sequence}`);
  if (part.event === 'update' && !part.contentState)
    return hidden('ignored: an update without content-state');
  activity.timestamp = part.timestamp;
  activity.sequence = sequence ?? activity.sequence + 1;
  if (part.contentState) activity.contentState = content;
  activity.staleDate = instant(part.staleDate);
  if (part.event === 'end') {
    activity.state = 'ended';
    activity.endedAt = new Date(now).toISOString();
    activity.dismissalDate = instant(part.dismissalDate);
  }
  return { shown: true };
}

const sequenceOf = (content: Record<string, unknown>, push: Push): number | undefined =>
  typeof content.sequence === 'number' ? content.sequence : push.seq;

const instant = (seconds: number | undefined): string | undefined =>
  seconds === undefined || !Number.isFinite(seconds) || Math.abs(seconds) > 8e12
    ? undefined
    : new Date(seconds * 1000).toISOString();
