import { sentenceOf, errorFieldsOf } from '@carillon/eventing';
import type { App } from 'firebase-admin/app';
import type { Messaging } from 'firebase-admin/messaging';
import { randomUUID } from 'node:crypto';
import { Agent, type AgentOptions } from 'node:https';
import { CredentialRefused, GoogleCredential, type ServiceAccount } from './google-credential';
import type { PushAttempt, PushOutcome, PushTransport } from './transport';

export interface FcmSettings {
  readonly account: ServiceAccount;
  /** A stand-in for Google, in tests and on laptops. */
  readonly instead?: { readonly host: string; readonly port: number; readonly ca?: string };
}

/** The maximum number of concurrent pushes; each has its own connection. */
export const fcmConcurrency = 64;

/** Connects to the stand-in for every address, and still expects Google's name in its certificate. */
class StandInAgent extends Agent {
  constructor(
    private readonly target: NonNullable<FcmSettings['instead']>,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(...[options, callback]: Parameters<Agent['createConnection']>) {
    const { host, port, ca } = this.target;
    const servername = (options as AgentOptions).servername ?? (options as { host?: string }).host;
    return super.createConnection(
      { ...options, host, port, servername, ...(ca && { ca }) } as never,
      callback,
    );
  }
}

/** Loaded with the first push: many installations have no Android phone. */
const loadFirebase = async () => ({
  ...(await import('firebase-admin/app')),
  ...(await import('firebase-admin/messaging')),
});

interface Connected {
  readonly app: App;
  readonly deleteApp: (app: App) => Promise<void>;
  readonly messaging: Messaging;
  readonly credential: GoogleCredential;
}

/**
 * Sends pushes to Google through `firebase-admin`. The library retries by itself on 503, resets and timeouts, for up to
 * 82 s, which cannot be disabled: one attempt of ours may be several of its own, and one push may arrive twice. The
 * library returns neither status nor `Retry-After`.
 */
export class FcmTransport implements PushTransport {
  readonly provider = 'fcm';
  private readonly agent: Agent;
  private connecting: Promise<Connected> | undefined;
  private renewedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly settings: FcmSettings) {
    const options = { keepAlive: true, maxSockets: fcmConcurrency };
    this.agent = settings.instead ? new StandInAgent(settings.instead, options) : new Agent(options);
  }

  async send(attempt: PushAttempt): Promise<PushOutcome> {
    const connecting = (this.connecting ??= this.connect());
    const connected = await connecting;
    try {
      // Requests the token before the library does: the library would hide why the request failed.
      await connected.credential.getAccessToken();
    } catch (error) {
      if (error instanceof CredentialRefused) return { class: 'config', reason: error.message };
      return { class: 'not_sent', reason: String(errorFieldsOf(error).code ?? 'token_endpoint') };
    }
    const { message } = attempt;
    try {
      const providerId = await connected.messaging.send({
        token: attempt.token,
        data: { ...message.fcm },
        // No collapse key: FCM keeps at most four of them for an offline phone and throttles pushes that have one. The
        // app tags its notification with our id, so a duplicate push is shown once.
        android: {
          priority: message.urgent ? 'high' : 'normal',
          ttl: Math.max(0, Math.floor(attempt.timeToLiveMs / 1000) * 1000),
        },
      });
      return { class: 'accepted', status: 200, providerId };
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome.class === 'provider_token' && !this.renew(connecting))
        return { ...outcome, class: 'config_doubtful' };
      return outcome;
    }
  }

  async close(): Promise<void> {
    const connected = await this.connecting;
    await connected?.deleteApp(connected.app);
    this.agent.destroy();
  }

  private async connect(): Promise<Connected> {
    const { deleteApp, getMessaging, initializeApp } = await loadFirebase();
    const credential = new GoogleCredential(this.settings.account, this.agent);
    const app = initializeApp(
      { credential, projectId: this.settings.account.project_id, httpAgent: this.agent },
      `push ${randomUUID()}`,
    );
    return { app, deleteApp, credential, messaging: getMessaging(app) };
  }

  /**
   * Renews the access token, at most once a minute. The library caches a token until it expires; a new token requires a
   * new app.
   */
  private renew(refused: Promise<Connected>): boolean {
    if (refused !== this.connecting) return true;
    if (Date.now() - this.renewedAt < 60_000) return false;
    this.renewedAt = Date.now();
    this.connecting = this.connect();
    // Delayed, because requests in progress still use the app.
    setTimeout(
      () => void refused.then(({ app, deleteApp }) => deleteApp(app)).catch(() => {}),
      120_000,
    ).unref();
    return true;
  }
}

function outcomeOf(error: unknown): PushOutcome {
  const code = String(errorFieldsOf(error).code ?? '');
  const message = sentenceOf(error);
  const reason = code.replace(/^(messaging|app)\//, '') || 'unknown';
  switch (code) {
    // A wrong project gets this answer too.
    case 'messaging/registration-token-not-registered':
      return { class: 'token_dead', reason };
    case 'messaging/invalid-registration-token':
      return { class: 'token_suspect', reason };
    case 'messaging/invalid-argument':
      return { class: /registration token/i.test(message) ? 'token_suspect' : 'rejected', reason };
    // Either the token belongs to another project, or we lack permission to send: the library has one code for both.
    case 'messaging/mismatched-credential':
      return { class: 'config_doubtful', reason };
    case 'messaging/third-party-auth-error':
    case 'messaging/authentication-error':
      return { class: 'provider_token', reason };
    case 'messaging/message-rate-exceeded':
    case 'messaging/device-message-rate-exceeded':
      return { class: 'throttled', reason };
    case 'messaging/internal-error':
    case 'messaging/server-unavailable':
    case 'messaging/unknown-error':
      return { class: 'server', reason };
    case 'app/network-error':
      return {
        class: /Error code: (ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/.test(message)
          ? 'not_sent'
          : /Error code: (ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(message)
            ? 'config'
            : 'ambiguous',
        reason,
      };
    case 'app/invalid-credential':
      return { class: 'not_sent', reason };
    default:
      return { class: code.startsWith('messaging/') ? 'rejected' : 'ambiguous', reason };
  }
}
