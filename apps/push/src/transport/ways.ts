import type { Platform, PushEnvironment } from '@carillon/contracts';
import { isSet, type Logger, numberSetting, setting } from '@carillon/service';
import { apnsConcurrency, ApnsTransport } from './apns';
import { Breaker } from './breaker';
import type { ServiceAccount } from './google-credential';
import { Slots } from './slots';
import type { PushTransport } from './transport';

/** One credential's way to a provider. */
export interface Way {
  readonly name: string;
  readonly transport: PushTransport;
  readonly breaker: Breaker;
  readonly slots: Slots;
  /** Live activities take these first, half of all: however many there are, a notification finds room. */
  readonly activitySlots: Slots;
}

const apple = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
} as const;

/** The ways that are configured; a platform may have none. */
export class Ways {
  constructor(private readonly ways: Readonly<Record<string, Way>>) {}

  /** Opens what the environment names; keys are read from the files of `APNS_KEY_FILE` and so on. Throws when a key or account is there but cannot be used. */
  static async open(logger: Logger): Promise<Ways> {
    const ways: Record<string, Way> = {};
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
      const way = (name: string): Way => ({
        name,
        transport,
        breaker: new Breaker(),
        slots: new Slots(apnsConcurrency),
        activitySlots: new Slots(apnsConcurrency / 2),
      });
      // Apple may take a key in one environment only; a stand-in is one place for both.
      ways['ios production'] = way(origin ? 'apns' : 'apns production');
      ways['ios sandbox'] = origin ? ways['ios production'] : way('apns sandbox');
    }
    if (isSet('FCM_SERVICE_ACCOUNT')) {
      // Loaded only where it is used: it is heavy.
      const { fcmConcurrency, FcmTransport } = await import('./fcm');
      const transport = new FcmTransport({
        account: JSON.parse(setting('FCM_SERVICE_ACCOUNT')) as ServiceAccount,
        ...(isSet('FCM_HOST') && {
          instead: {
            host: setting('FCM_HOST'),
            port: numberSetting('FCM_PORT', 443),
            ...(isSet('FCM_CA') && { ca: setting('FCM_CA') }),
          },
        }),
      });
      const way: Way = {
        name: 'fcm',
        transport,
        breaker: new Breaker(),
        slots: new Slots(fcmConcurrency),
        activitySlots: new Slots(fcmConcurrency / 2),
      };
      ways['android production'] = way;
      ways['android sandbox'] = way;
    }
    if (Object.keys(ways).length === 0) logger.warn('No push provider is configured');
    return new Ways(ways);
  }

  of(platform: Platform, environment: PushEnvironment): Way | undefined {
    return this.ways[`${platform} ${environment}`];
  }

  async close(): Promise<void> {
    const transports = new Set(Object.values(this.ways).map(({ transport }) => transport));
    await Promise.all([...transports].map((transport) => transport.close()));
  }
}
