import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { writePrivate } from '../keys.js';
import type { TokenKind } from './token.js';
import type { Activity } from './activity.js';
import { type Channel, newBrowserKeys } from './browser.js';
import { newSettings, retire, type Browser, type Environment, type Phone } from './phone.js';

/** Whose token it is, of which kind, and since when it is dead. */
export type TokenOwner = TokenKind & {
  phone: Phone;
  deadSince?: number | undefined;
  deadReason?: 'ExpiredToken' | undefined;
};

/** What a new phone is made from. */
export interface NewPhone {
  platform: 'ios' | 'android' | 'web';
  /** The name of the push service that a browser subscribes at, where it is not the simulator's own. */
  host?: string | undefined;
  /** Of a real browser. */
  channel?: Channel | undefined;
  serverKey?: string | undefined;
  name?: string | undefined;
  environment?: Environment | undefined;
  bundleId?: string | undefined;
  liveActivities?: boolean | undefined;
  interactiveLiveActivities?: boolean | undefined;
}

const saveDelay = 500;
const names = { ios: 'iPhone', android: 'Android phone', web: 'Browser' };
const appleToken = (bytes: number) => randomBytes(bytes).toString('hex');
const googleToken = () =>
  `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(100).toString('base64url')}`;

const tokenOf = (platform: NewPhone['platform']): string => {
  if (platform === 'ios') return appleToken(32);
  return platform === 'android' ? googleToken() : randomBytes(24).toString('base64url');
};

/** All phones, found by id and by token; kept in one file. */
export class Phones {
  private readonly byId = new Map<string, Phone>();
  private readonly byToken = new Map<string, TokenOwner>();
  private bundles = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();
  private closed = false;
  /** Where browsers subscribe. */
  webOrigin = '';

  constructor(
    private readonly options: {
      file: string;
      environment: Environment;
      bundleId: string;
      now: () => number;
      failed: (error: unknown) => void;
    },
  ) {
    if (existsSync(options.file)) {
      const { phones } = JSON.parse(readFileSync(options.file, 'utf8')) as { phones: Phone[] };
      for (const phone of phones) this.byId.set(phone.id, asWritten(phone));
    }
    this.index();
  }

  /** Bundle ids that the team owns: its own, and those that phones were made with. */
  get bundleIds(): ReadonlySet<string> {
    return this.bundles;
  }

  list(): Phone[] {
    return [...this.byId.values()];
  }

  get(id: string): Phone | undefined {
    return this.byId.get(id);
  }

  owner(token: string): TokenOwner | undefined {
    return this.byToken.get(token);
  }

  create(wanted: NewPhone): Phone {
    const { platform } = wanted;
    const phone: Phone = {
      id: `phone_${randomBytes(6).toString('hex')}`,
      platform,
      name: wanted.name ?? `${names[platform]} ${this.byId.size + 1}`,
      environment: platform === 'ios' ? (wanted.environment ?? this.options.environment) : 'production',
      bundleId: wanted.bundleId ?? this.options.bundleId,
      installId: randomUUID(),
      createdAt: new Date(this.options.now()).toISOString(),
      pushToken: tokenOf(platform),
      deadTokens: [],
      settings: {
        ...newSettings,
        liveActivities: wanted.liveActivities ?? newSettings.liveActivities,
        interactiveLiveActivities: wanted.interactiveLiveActivities ?? newSettings.interactiveLiveActivities,
      },
      tray: [],
      activities: [],
      stored: [],
      digests: [],
      spent: { high: [], starts: [], messages: [] },
    };
    if (platform === 'web') phone.browser = this.subscribe(phone.pushToken, wanted);
    this.byId.set(phone.id, phone);
    this.mintStartToken(phone);
    this.index();
    this.changed();
    return phone;
  }

  /** A browser subscribes. A simulated one gets keys; a real one has its own. */
  private subscribe(
    token: string,
    { host, channel, serverKey }: Pick<NewPhone, 'host' | 'channel' | 'serverKey'>,
  ): Browser {
    const { hostname, port } = new URL(this.webOrigin);
    return {
      endpoint: `https://${host ?? hostname}:${port}/push/${token}`,
      ...(channel ? { channel, serverKey } : { keys: newBrowserKeys(randomBytes(16)) }),
      waiting: [],
    };
  }

  remove(phone: Phone): void {
    this.byId.delete(phone.id);
    this.index();
    this.changed();
  }

  /** A phone with live activities has a push-to-start token; it gets one when they are switched on. */
  mintStartToken(phone: Phone): void {
    if (phone.platform !== 'ios' || !phone.settings.liveActivities || phone.pushToStartToken) return;
    phone.pushToStartToken = appleToken(80);
    this.index();
    this.changed();
  }

  /** The system made an activity: it has a token of its own. */
  mintUpdateToken(phone: Phone, activity: Activity): void {
    if (phone.platform !== 'ios' || activity.updateToken) return;
    activity.updateToken = appleToken(80);
    this.byToken.set(activity.updateToken, { phone, kind: 'update', activityId: activity.activityId });
    this.changed();
  }

  /** A token of the app is replaced; the old one is dead from now on. */
  rotate(phone: Phone, kind: 'alert' | 'start'): void {
    const at = this.options.now();
    if (kind === 'alert') {
      retire(phone, { token: phone.pushToken, at });
      phone.pushToken = tokenOf(phone.platform);
      if (phone.browser)
        phone.browser = this.subscribe(phone.pushToken, {
          ...phone.browser,
          host: new URL(phone.browser.endpoint).hostname,
        });
    } else if (phone.pushToStartToken) {
      retire(phone, { token: phone.pushToStartToken, at, reason: 'ExpiredToken' });
      phone.pushToStartToken = undefined;
      this.mintStartToken(phone);
    }
    this.index();
    this.changed();
  }

  /** The system gives an activity another update token; the old one is dead from now on. */
  rotateUpdateToken(phone: Phone, activity: Activity): void {
    if (activity.updateToken)
      retire(phone, { token: activity.updateToken, at: this.options.now(), reason: 'ExpiredToken' });
    activity.updateToken = appleToken(80);
    activity.updateTokenRegistered = false;
    this.index();
    this.changed();
  }

  /** Rebuilds the index; after anything but a new update token. */
  index(): void {
    this.byToken.clear();
    this.bundles = new Set([this.options.bundleId]);
    for (const phone of this.byId.values()) {
      if (phone.platform === 'ios') this.bundles.add(phone.bundleId);
      const deadSince = phone.uninstalledAt;
      for (const dead of phone.deadTokens)
        this.byToken.set(dead.token, { phone, kind: 'alert', deadSince: dead.at, deadReason: dead.reason });
      this.byToken.set(phone.pushToken, { phone, kind: 'alert', deadSince });
      if (phone.pushToStartToken)
        this.byToken.set(phone.pushToStartToken, { phone, kind: 'start', deadSince });
      for (const { updateToken, activityId } of phone.activities)
        if (updateToken) this.byToken.set(updateToken, { phone, kind: 'update', activityId });
    }
  }

  /** Something worth keeping changed; the file follows a moment later. */
  changed(): void {
    if (this.closed || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.saving = this.saving.then(() => this.save()).catch(this.options.failed);
    }, saveDelay);
    this.timer.unref();
  }

  /** Writes what is not written yet, and stops following. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.saving;
    writePrivate(this.options.file, this.text());
  }

  private async save(): Promise<void> {
    const next = `${this.options.file}.saving`;
    await writeFile(next, this.text(), { mode: 0o600 });
    await rename(next, this.options.file);
  }

  private text(): string {
    return JSON.stringify({ phones: this.list() });
  }
}

/** A phone from the file of an earlier version has what was added since. */
function asWritten(phone: Phone): Phone {
  return {
    ...phone,
    settings: { ...newSettings, ...phone.settings },
    spent: phone.spent ?? { high: [], starts: [], messages: [] },
    // What an activity looked like before that is not worth translating.
    activities: phone.activities.filter((activity) => 'updatedAt' in activity),
  };
}
