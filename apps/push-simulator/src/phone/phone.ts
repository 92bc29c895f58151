import {
  ageActivities,
  changeActivity,
  dismissActivity,
  isRunning,
  type Activity,
  type ActivityPush,
  type ActivityScreen,
} from './activity.js';
import type { ContentPrompt } from './content.js';

/** Where an APNs token is valid. */
export type Environment = 'sandbox' | 'production';

/** The switches of a phone. */
export type Settings = ActivityScreen['settings'] & {
  online: boolean;
  interactiveLiveActivities: boolean;
  /** `auto`: the app tells the service an update token as soon as it has one. */
  registerUpdateTokens: 'auto' | 'manual';
  /** FCM refuses more than 240 messages a minute and 5,000 an hour for this phone. */
  fcmQuota: boolean;
};

/** A phone as it comes out of its box. */
export const newSettings: Settings = {
  online: true,
  authorized: true,
  liveActivities: true,
  interactiveLiveActivities: false,
  registerUpdateTokens: 'auto',
  frequentPushes: true,
  highPriorityPerHour: 120,
  startsPerHour: null,
  fcmQuota: false,
};

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
  /** While the phone is away a newer push replaces the stored one of the same slot. */
  slot: string;
  /** Epoch milliseconds until which the provider tries; 0 = once, now or never. */
  until: number;
  activity?: ActivityPush | undefined;
}

/** A token that reaches nothing any more. Without a reason it is Unregistered. */
export interface DeadToken {
  token: string;
  at: number;
  reason?: 'ExpiredToken' | undefined;
}

/** A simulated phone with one app on it. */
export interface Phone extends ActivityScreen {
  id: string;
  name: string;
  environment: Environment;
  bundleId: string;
  installId: string;
  createdAt: string;
  pushToken: string;
  pushToStartToken?: string | undefined;
  /** Tokens that were replaced or whose activity or app is gone, and since when. */
  deadTokens: DeadToken[];
  uninstalledAt?: number | undefined;
  deviceId?: string | undefined;
  pairing?: Pairing | undefined;
  settings: Settings;
  tray: Shown[];
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
  /** Records of the stored pushes that this one replaced. */
  replaced?: number[] | undefined;
  /** An activity that has just started and has no update token yet. */
  started?: Activity | undefined;
}

const trayLimit = { ios: 200, android: 50 };
const activitiesKept = 50;
const deadTokensKept = 200;
const digestLimit = 200;
const fcmStoredLimit = 100;
const fcmCollapseKeys = 4;

/** A push arrives for a phone: it is shown, kept by the provider, or dropped. */
export function arrive(phone: Phone, push: Push, now: number): Outcome {
  ageActivities(phone, now);
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
    if (updateToken) retire(phone, { token: updateToken, at: now });
  phone.tray = [];
  phone.activities = [];
  phone.stored = [];
}

/** The account that was signed in is gone from this phone: the app takes all of it off the screen. */
export function signOut(phone: Phone, now: number): void {
  phone.tray = [];
  phone.digests = [];
  for (const activity of phone.activities) dismissActivity(activity, now, 'sign-out');
}

/** The person switched live activities off: iOS ends all of them. On Android they go on as ordinary notifications. */
export function stopActivities(phone: Phone, now: number): void {
  if (phone.platform === 'ios')
    for (const activity of phone.activities) dismissActivity(activity, now, 'the switch');
}

/** Nothing of what was shown is kept. The tokens of its activities are dead, not unknown. */
export function clearPhone(phone: Phone, now: number): void {
  for (const { updateToken } of phone.activities)
    if (updateToken) retire(phone, { token: updateToken, at: now, reason: 'ExpiredToken' });
  phone.tray = [];
  phone.activities = [];
  phone.stored = [];
  phone.digests = [];
  phone.spent = { high: [], starts: [], messages: [] };
}

/** A token is dead from now on. The oldest dead ones are forgotten in the end. */
export function retire(phone: Phone, dead: DeadToken): void {
  phone.deadTokens.push(dead);
  if (phone.deadTokens.length > deadTokensKept) phone.deadTokens.shift();
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
  // APNs keeps one push per topic, FCM one per collapse key: the newest.
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
      return change(phone, push.activity!, now);
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

/** A live-activity push that came through. */
function change(phone: Phone, part: ActivityPush, now: number): Outcome {
  const outcome = changeActivity(phone, part, now);
  const prompt = outcome.shown && (part.contentState as { prompt?: ContentPrompt } | undefined)?.prompt;
  if (prompt) rememberDigest(phone, prompt.id, prompt.actionDigest);
  while (phone.activities.length > activitiesKept) {
    const over = phone.activities.findIndex((activity) => !isRunning(activity));
    const [gone] = phone.activities.splice(Math.max(0, over), 1);
    if (gone?.updateToken) retire(phone, { token: gone.updateToken, at: now, reason: 'ExpiredToken' });
  }
  return outcome;
}
