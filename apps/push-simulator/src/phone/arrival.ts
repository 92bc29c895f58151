import { ageActivities, changeActivity, isRunning, type Activity, type ActivityPush } from './activity.js';
import { isContent } from './content.js';
import {
  removeFromTray,
  retire,
  type Action,
  type Phone,
  type Push,
  type TrayNotification,
} from './phone.js';

/** What became of a push on a phone. */
export interface ArrivalOutcome {
  shown: boolean;
  why?: string | undefined;
  /** The app tells the service that this notification arrived. */
  receiptFor?: string | undefined;
  /** Records of the stored pushes that this one replaced. */
  replaced?: number[] | undefined;
  /** An activity that has just started and has no update token yet. */
  started?: Activity | undefined;
}

const trayLimit = { ios: 200, android: 50, web: 50 };
const activitiesKept = 50;
const digestLimit = 200;
const fcmStoredLimit = 100;
const fcmCollapseKeys = 4;

/** A push arrives for a phone: it is shown, kept by the provider, or dropped. */
export function arrive(phone: Phone, push: Push, now: number): ArrivalOutcome {
  ageActivities(phone, now);
  if (phone.uninstalledAt !== undefined) return hidden('the app is not installed');
  if (!phone.settings.online) return keep(phone, push, now);
  if (push.until !== 0 && push.until <= now) return hidden('dropped: it had expired');
  return open(phone, push, now);
}

/** The phone is reachable again: the provider hands over what it kept. */
export function reconnect(phone: Phone, now: number): { push: Push; outcome: ArrivalOutcome }[] {
  const kept = phone.stored;
  phone.stored = [];
  return kept.map((push) => ({
    push,
    outcome:
      push.until <= now ? hidden('dropped: it expired while the phone was offline') : open(phone, push, now),
  }));
}

const hidden = (why: string): ArrivalOutcome => ({ shown: false, why });

function keep(phone: Phone, push: Push, now: number): ArrivalOutcome {
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

function open(phone: Phone, push: Push, now: number): ArrivalOutcome {
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

function show(phone: Phone, push: Push, now: number): ArrivalOutcome {
  if (!phone.settings.authorized) return hidden('notifications are not allowed on this phone');
  if (push.expiresAt !== undefined && Date.parse(push.expiresAt) <= now)
    return hidden('the app dropped it: it had expired');
  const id = push.contentId ?? push.id;
  // On Android the app itself names the notification by its id, so the same id is the same notification. On
  // iOS only the collapse id does that: without one a second push is a second notification.
  const same = (other: TrayNotification) =>
    (push.collapseId !== undefined && other.collapseId === push.collapseId) ||
    (phone.platform === 'android' && other.id === id);
  const older = phone.tray.find(same);
  if (older?.seq !== undefined && push.seq !== undefined && push.seq < older.seq)
    return hidden(`the app dropped it: seq ${push.seq} is older than ${older.seq}`);
  const buttons = buttonsOf(push);
  const promptId = push.type === 'prompt' ? push.contentId : undefined;
  if (promptId && push.actionDigest) rememberDigest(phone, promptId, push.actionDigest);
  const shown: TrayNotification = {
    id,
    type: push.type,
    title: push.title,
    body: push.body,
    category: push.category ?? null,
    actions: buttons.actions,
    reply: buttons.reply,
    promptId,
    pageId: push.type === 'page' ? push.contentId : undefined,
    actionDigest: push.actionDigest,
    url: push.url,
    imageUrl: push.imageUrl,
    appId: push.appId,
    threadId: push.threadId,
    interruptionLevel: push.interruptionLevel,
    collapseId: push.collapseId,
    seq: push.seq,
    escalationStep: push.escalationStep,
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
    case 'CARILLON_PAGE':
      return {
        actions: [
          { answer: 'acknowledge', label: first ?? 'Acknowledge' },
          { answer: 'escalate', label: second ?? 'Escalate' },
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

/** A live-activity push that came through: what it changed, and no more activities than a phone keeps. */
function change(phone: Phone, part: ActivityPush, now: number): ArrivalOutcome {
  const outcome = changeActivity(phone, part, now);
  const prompt = outcome.shown && isContent(part.contentState) && part.contentState.prompt;
  if (prompt) rememberDigest(phone, prompt.id, prompt.actionDigest);
  while (phone.activities.length > activitiesKept) {
    const over = phone.activities.findIndex((activity) => !isRunning(activity));
    const [gone] = phone.activities.splice(Math.max(0, over), 1);
    if (gone?.updateToken) retire(phone, { token: gone.updateToken, at: now, reason: 'ExpiredToken' });
  }
  return outcome;
}
