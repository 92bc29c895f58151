import type { Platform, PushEnvironment } from '@carillon/contracts';
import { isSet, type Logger, numberSetting, portRange, setting } from '@carillon/runtime';
import { apnsConcurrency, ApnsTransport } from './apns';
import { Breaker } from './breaker';
import { Slots } from './slots';
import type { PushTransport } from './transport';

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

/** The configured credentials; a platform may have none. */
export class Credentials {
  constructor(private readonly configured: Readonly<Record<string, Credential>>) {}

  /**
   * Opens the credentials that the environment configures; keys are read from the files of `APNS_KEY_FILE` and so on.
   * Throws when a configured key or account is unusable.
   */
  static async open(logger: Logger): Promise<Credentials> {
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
    if (Object.keys(configured).length === 0)
      logger.warn('No push provider is configured: every push fails with provider_not_configured');
    return new Credentials(configured);
  }

  of(platform: Platform, environment: PushEnvironment): Credential | undefined {
    return this.configured[`${platform} ${environment}`];
  }

  async close(): Promise<void> {
    const transports = new Set(Object.values(this.configured).map(({ transport }) => transport));
    await Promise.all([...transports].map((transport) => transport.close()));
  }
}
