import type { BrowserKeys, Channel, WaitingMessage } from './browser.js';
import { dismissActivity, type ActivityPush, type ActivityScreen } from './activity.js';

/** Where an APNs token is valid. */
export type Environment = 'sandbox' | 'production';

/** The switches of a phone. */
export type PhoneSettings = ActivityScreen['settings'] & {
  online: boolean;
  interactiveLiveActivities: boolean;
  /** `auto`: the app tells the service an update token as soon as it has one. */
  registerUpdateTokens: 'auto' | 'manual';
  /** FCM refuses more than 240 messages a minute and 5,000 an hour for this phone. */
  fcmQuota: boolean;
};

/** A phone as it comes out of its box. */
export const newSettings: PhoneSettings = {
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
export interface TrayNotification {
  id: string;
  type?: string | undefined;
  title: string;
  body: string;
  category: string | null;
  actions: Action[];
  /** A reply may be typed. */
  reply: boolean;
  promptId?: string | undefined;
  pageId?: string | undefined;
  actionDigest?: string | undefined;
  url?: string | undefined;
  imageUrl?: string | undefined;
  /** The web app that a tap opens. */
  appId?: string | undefined;
  threadId?: string | undefined;
  interruptionLevel?: string | undefined;
  collapseId?: string | undefined;
  seq?: number | undefined;
  /** How far a page had gone when it came. */
  escalationStep?: number | undefined;
  expiresAt?: string | undefined;
  receivedAt: string;
}

/** A push as a phone sees it, whichever provider brought it. */
export interface Push {
  /** apns-id, or the name that FCM gave. */
  id: string;
  /** Number of the record of this push on this phone. */
  n: number;
  provider: 'apns' | 'fcm' | 'web';
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
  appId?: string | undefined;
  threadId?: string | undefined;
  interruptionLevel?: string | undefined;
  collapseId?: string | undefined;
  seq?: number | undefined;
  escalationStep?: number | undefined;
  expiresAt?: string | undefined;
  /** While the phone is away a newer push replaces the stored one of the same slot. */
  slot: string;
  /** Epoch milliseconds until which the provider tries; 0 = once, now or never. */
  until: number;
  activity?: ActivityPush | undefined;
}

/** A subscription: of a simulated browser with its keys, of a real one with its channel. */
export interface Browser {
  endpoint: string;
  /** That of the service that pushes to it. */
  serverKey?: string | undefined;
  keys?: BrowserKeys | undefined;
  channel?: Channel | undefined;
  /** What a real browser has not acknowledged yet. */
  waiting: WaitingMessage[];
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
  /** The subscription of a browser; its push token is the last part of the endpoint. */
  browser?: Browser | undefined;
  pushToStartToken?: string | undefined;
  /** Tokens that were replaced or whose activity or app is gone, and since when. */
  deadTokens: DeadToken[];
  uninstalledAt?: number | undefined;
  deviceId?: string | undefined;
  pairing?: Pairing | undefined;
  settings: PhoneSettings;
  tray: TrayNotification[];
  stored: Push[];
  /** What each prompt showed, kept after it left the tray: a person may have pressed a moment ago. */
  digests: { promptId: string; actionDigest: string }[];
}

const deadTokensKept = 200;

/** The app is removed: nothing of it stays. All its tokens are dead from now on. */
export function uninstall(phone: Phone, now: number): void {
  if (phone.uninstalledAt !== undefined) return;
  phone.uninstalledAt = now;
  for (const { updateToken } of phone.activities)
    if (updateToken) retire(phone, { token: updateToken, at: now });
  phone.tray = [];
  phone.activities = [];
  phone.stored = [];
  if (phone.browser) phone.browser.waiting = [];
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
  if (phone.browser) phone.browser.waiting = [];
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
