import type { Platform, PushEnvironment } from '@carillon/contracts';
import type { Destinations } from '@carillon/destinations';
import { isSet, type Logger, numberSetting, portRange, setting } from '@carillon/runtime';
import type { KeyRing } from '@carillon/signing';
import { LRUCache } from 'lru-cache';
import { subscriptionIn } from './subscription';
import { apnsConcurrency, ApnsTransport } from './apns';
import { Breaker } from './breaker';
import { Slots } from './slots';
import type { PushTransport } from './transport';
import { webPushSubject } from './vapid';

/** A credential at a provider, with the transport and the limits of its pushes. */
export interface Credential {
  readonly name: string;
  readonly transport: PushTransport;
  readonly breaker: Breaker;
  readonly slots: Slots;
  /**
   * Live activities need one of these first, half of all slots: however many there are, slots remain for notifications.
   */
  readonly activitySlots: Slots;
}

const apple = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
} as const;

/** Endpoints are URLs of callers, so there may be any number of push services. */
const pushServices = 200;

/**
 * The credentials of Web Push: one for each push service, so that what one of them says of our key, or how slow it is,
 * stops no push to another. Any account can register a subscription that was made with a foreign key, which looks like
 * a refusal of ours: a refusal is a doubt, also the first one, which stops only that account's pushes.
 */
class WebPushCredentials {
  private readonly byOrigin = new LRUCache<string, Credential>({ max: pushServices });

  constructor(
    readonly transport: PushTransport,
    private readonly concurrency: number,
  ) {}

  of(token: string): Credential {
    const { origin, host } = new URL(subscriptionIn(token).endpoint);
    let credential = this.byOrigin.get(origin);
    if (!credential) {
      credential = {
        name: `web push ${host}`,
        transport: this.transport,
        breaker: new Breaker(1),
        slots: new Slots(this.concurrency),
        activitySlots: new Slots(0),
      };
      this.byOrigin.set(origin, credential);
    }
    return credential;
  }
}

/** The configured credentials; a platform may have none. */
export class Credentials {
  constructor(
    private readonly configured: Readonly<Record<string, Credential>>,
    private readonly webPush?: WebPushCredentials,
  ) {}

  /**
   * Opens the credentials that the environment configures; keys are read from the files of `APNS_KEY_FILE` and so on.
   * Throws when a configured key or account is unusable.
   */
  static async open(logger: Logger, ring: KeyRing, destinations: Destinations): Promise<Credentials> {
    const configured: Record<string, Credential> = {};
    if (isSet('APNS_KEY')) {
      const origin = setting('APNS_ORIGIN', '');
      const transport = new ApnsTransport({
        keyId: setting('APNS_KEY_ID'),
        teamId: setting('APNS_TEAM_ID'),
        bundleId: setting('APNS_BUNDLE_ID'),
        key: setting('APNS_KEY'),
        origins: origin ? { production: origin, sandbox: origin } : apple,
        ...(isSet('APNS_CA') && { ca: setting('APNS_CA') }),
      });
      const credential = (name: string): Credential => ({
        name,
        transport,
        breaker: new Breaker(),
        slots: new Slots(apnsConcurrency),
        activitySlots: new Slots(apnsConcurrency / 2),
      });
      // Apple may accept a key in one environment only; a stand-in serves both.
      configured['ios production'] = credential(origin ? 'apns' : 'apns production');
      configured['ios sandbox'] = origin ? configured['ios production'] : credential('apns sandbox');
    }
    if (isSet('FCM_SERVICE_ACCOUNT')) {
      // The library is large, so it is loaded only when configured.
      const { fcmConcurrency, FcmTransport } = await import('./fcm');
      const transport = new FcmTransport({
        account: JSON.parse(setting('FCM_SERVICE_ACCOUNT')),
        ...(isSet('FCM_HOST') && {
          instead: {
            host: setting('FCM_HOST'),
            port: numberSetting('FCM_PORT', 443, portRange),
            ...(isSet('FCM_CA') && { ca: setting('FCM_CA') }),
          },
        }),
      });
      const credential: Credential = {
        name: 'fcm',
        transport,
        breaker: new Breaker(),
        slots: new Slots(fcmConcurrency),
        activitySlots: new Slots(fcmConcurrency / 2),
      };
      configured['android production'] = credential;
      configured['android sandbox'] = credential;
    }
    const { subject } = webPushSubject(setting('CARILLON_WEB_PUSH_SUBJECT', ''));
    let webPush: WebPushCredentials | undefined;
    if (subject !== null) {
      const { webPushConcurrency, WebPushTransport } = await import('./web-push');
      const settings = { subject, ...(isSet('WEB_PUSH_CA') && { ca: setting('WEB_PUSH_CA') }) };
      webPush = new WebPushCredentials(
        new WebPushTransport(settings, destinations, ring),
        webPushConcurrency,
      );
    }
    if (Object.keys(configured).length === 0 && !webPush)
      logger.warn('No push provider is configured: every push fails with provider_not_configured');
    return new Credentials(configured, webPush);
  }

  /** The token of a browser names its push service. */
  of(platform: Platform, environment: PushEnvironment, token: string): Credential | undefined {
    if (platform === 'web') return this.webPush?.of(token);
    return this.configured[`${platform} ${environment}`];
  }

  async close(): Promise<void> {
    const transports = new Set(Object.values(this.configured).map(({ transport }) => transport));
    if (this.webPush) transports.add(this.webPush.transport);
    await Promise.all([...transports].map((transport) => transport.close()));
  }
}
