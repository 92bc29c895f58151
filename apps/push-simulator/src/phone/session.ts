import { isRunning, type Activity } from './activity.js';
import { codeOf, messageOf } from '../failure.js';
import { object, parse, text } from '../json.js';
import type { Browser, Pairing, Phone } from './phone.js';

/** What the Session API said. */
export interface SessionAnswer {
  status: number;
  body: unknown;
}

/** What a person can do with a page on the spot. */
export const pageActions = ['acknowledge', 'escalate'] as const;
export type PageAction = (typeof pageActions)[number];

const timeoutMs = 10_000;
const firstBackoffMs = 1000;
const maxBackoffMs = 30_000;
const receiptDelayMs = 200;
const receiptBatch = 100;
const receiptBacklog = 5000;

interface Receipts {
  waiting: { notificationId: string; receivedAt: string }[];
  timer: NodeJS.Timeout | undefined;
}

/** Speaks to the Session API as the app on a phone does. */
export class SessionApi {
  private readonly refreshes = new Map<Phone, Promise<boolean>>();
  private readonly receipts = new Map<Phone, Receipts>();
  private closed = false;

  constructor(
    private readonly options: {
      now: () => number;
      changed: () => void;
      log: (event: Record<string, unknown>) => void;
    },
  ) {}

  /** Registers the phone's install; a second time with the same install id updates it. */
  async register(phone: Phone): Promise<SessionAnswer> {
    const answer = await this.call(
      phone,
      'POST',
      '/devices',
      phone.browser
        ? browserOf(phone, phone.browser)
        : {
            installId: phone.installId,
            platform: phone.platform,
            deviceName: phone.name.slice(0, 64),
            pushToken: phone.pushToken,
            pushEnvironment: phone.environment,
            appBuild: '1',
            liveActivitiesCapable: phone.settings.liveActivities,
            interactiveLiveActivitiesCapable: phone.settings.interactiveLiveActivities,
            ...(phone.pushToStartToken && phone.settings.liveActivities
              ? { pushToStartToken: phone.pushToStartToken }
              : {}),
          },
    );
    const deviceId = text(object(object(answer.body)?.device)?.id);
    if (isSuccess(answer) && deviceId !== undefined) {
      phone.deviceId = deviceId;
      this.options.changed();
    }
    return answer;
  }

  /** Tells the service the phone's new push token, or its new push-to-start token. */
  sendTokens(phone: Phone, kind: 'alert' | 'start'): Promise<SessionAnswer> {
    if (phone.browser) return this.register(phone);
    return this.call(phone, 'PUT', `/devices/${phone.deviceId}/tokens`, {
      ...(kind === 'alert' ? { pushToken: phone.pushToken } : { pushToStartToken: phone.pushToStartToken }),
      environment: phone.environment,
    });
  }

  /** The person signs out: the app takes its device off the account, which ends its session as well. */
  async signOut(phone: Phone): Promise<{ device: SessionAnswer; logout?: SessionAnswer }> {
    const device = await this.call(phone, 'DELETE', `/devices/${phone.deviceId}`);
    // Without its device, or when that stays, the session is still there to be ended.
    return isSuccess(device) ? { device } : { device, logout: await this.call(phone, 'POST', '/logout', {}) };
  }

  /** Tells the service where to push updates of an activity, and goes on until it is heard or told no. */
  keepRegistering(phone: Phone, activity: Activity): void {
    const token = activity.updateToken;
    const attempt = async (backoffMs: number): Promise<void> => {
      const { settings, pairing } = phone;
      const wanted =
        pairing && settings.online && settings.registerUpdateTokens === 'auto' && isRunning(activity);
      if (this.closed || !wanted || activity.updateToken !== token || activity.updateTokenRegistered) return;
      const { status } = await this.registerActivity(phone, activity);
      const again = status === 0 || status === 429 || status >= 500;
      if (again) setTimeout(() => void attempt(Math.min(backoffMs * 2, maxBackoffMs)), backoffMs).unref();
    };
    void attempt(firstBackoffMs);
  }

  /** Tells the service where to push updates of an activity, once. */
  async registerActivity(phone: Phone, activity: Activity): Promise<SessionAnswer> {
    const token = activity.updateToken;
    const answer = await this.call(
      phone,
      'POST',
      `/devices/${phone.deviceId}/activities/${encodeURIComponent(activity.activityId)}/token`,
      { token, environment: phone.environment },
    );
    if (isSuccess(answer)) {
      // It may have been replaced while the call was on its way.
      activity.updateTokenRegistered ||= activity.updateToken === token;
      this.options.changed();
    } else {
      this.options.log({ msg: 'update token not taken', phoneId: phone.id, status: answer.status });
    }
    return answer;
  }

  /** Presses a button of a prompt. */
  answer(
    phone: Phone,
    promptId: string,
    answer: string,
    actionDigest: string | undefined,
  ): Promise<SessionAnswer> {
    return this.call(phone, 'POST', `/prompts/${encodeURIComponent(promptId)}/answer`, {
      answer,
      ...(actionDigest === undefined ? {} : { actionDigest }),
      ...(phone.deviceId === undefined ? {} : { deviceId: phone.deviceId }),
    });
  }

  /** Presses a button of a page. Who has it go on says how far it had gone when they saw it. */
  page(phone: Phone, pageId: string, action: PageAction): Promise<SessionAnswer> {
    const step = phone.tray.find((shown) => shown.pageId === pageId)?.escalationStep;
    return this.call(
      phone,
      'POST',
      `/pages/${encodeURIComponent(pageId)}/${action}`,
      action === 'escalate' && step !== undefined ? { escalationStep: step } : {},
    );
  }

  /** Notes that a notification was shown; the service hears of it a moment later, with others. */
  receipt(phone: Phone, notificationId: string): void {
    if (!phone.pairing || !phone.deviceId) return;
    let receipts = this.receipts.get(phone);
    if (!receipts) this.receipts.set(phone, (receipts = { waiting: [], timer: undefined }));
    receipts.waiting.push({ notificationId, receivedAt: new Date(this.options.now()).toISOString() });
    if (receipts.waiting.length > receiptBacklog) receipts.waiting.shift();
    this.schedule(phone, receipts);
  }

  /** Forgets what was not sent. */
  close(): void {
    this.closed = true;
    for (const { timer } of this.receipts.values()) clearTimeout(timer);
    this.receipts.clear();
  }

  private schedule(phone: Phone, receipts: Receipts): void {
    receipts.timer ??= setTimeout(() => {
      const batch = receipts.waiting.splice(0, receiptBatch);
      // The timer stays set while the call runs, so that a phone has one call on its way at a time.
      void this.call(phone, 'POST', `/devices/${phone.deviceId}/receipts`, { receipts: batch })
        .then((answer) => {
          if (!isSuccess(answer))
            this.options.log({ msg: 'receipts not taken', phoneId: phone.id, status: answer.status });
        })
        .finally(() => {
          receipts.timer = undefined;
          if (receipts.waiting.length > 0 && this.receipts.has(phone)) this.schedule(phone, receipts);
        });
    }, receiptDelayMs);
    receipts.timer.unref();
  }

  /** Calls with the access token; renews it once when it is no longer taken. Status 0 = no answer. */
  private async call(phone: Phone, method: string, path: string, body?: object): Promise<SessionAnswer> {
    const pairing = phone.pairing;
    if (!pairing) return { status: 0, body: { error: 'the phone is not paired' } };
    const used = pairing.accessToken;
    const first = await request(pairing, method, path, body, used);
    if (first.status !== 401 || !pairing.refreshToken) return first;
    // Another call may have renewed it meanwhile; a refresh token counts once, so one renewal serves all.
    if (pairing.accessToken === used && !(await this.renew(phone, pairing))) return first;
    return request(pairing, method, path, body, pairing.accessToken);
  }

  private renew(phone: Phone, pairing: Pairing): Promise<boolean> {
    let running = this.refreshes.get(phone);
    if (!running) {
      running = request(pairing, 'POST', '/refresh', { refreshToken: pairing.refreshToken })
        .then((answer) => {
          const pair = object(answer.body);
          if (!isSuccess(answer) || typeof pair?.accessToken !== 'string') {
            this.options.log({ msg: 'session not renewed', phoneId: phone.id, status: answer.status });
            return false;
          }
          pairing.accessToken = pair.accessToken;
          if (typeof pair.refreshToken === 'string') pairing.refreshToken = pair.refreshToken;
          this.options.changed();
          return true;
        })
        .finally(() => this.refreshes.delete(phone));
      this.refreshes.set(phone, running);
    }
    return running;
  }
}

const browserOf = ({ installId, name }: Phone, { endpoint, keys }: Browser): object => ({
  installId,
  platform: 'web',
  deviceName: name.slice(0, 64),
  subscription: { endpoint, expirationTime: null, keys: keys && { p256dh: keys.p256dh, auth: keys.auth } },
});

/** True for 2xx. */
export const isSuccess = (answer: SessionAnswer): boolean => answer.status >= 200 && answer.status < 300;

async function request(
  pairing: Pairing,
  method: string,
  path: string,
  body: object | undefined,
  accessToken?: string,
): Promise<SessionAnswer> {
  try {
    const response = await fetch(`${pairing.baseUrl.replace(/\/+$/, '')}/api/session${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const content = await response.text();
    const said = content === '' ? null : parse(content);
    // What is no JSON is told as it is.
    return { status: response.status, body: said === undefined ? content : said };
  } catch (error) {
    return {
      status: 0,
      body: {
        error: `no answer from ${pairing.baseUrl}: ${codeOf(object(error)?.cause) ?? messageOf(error)}`,
      },
    };
  }
}
