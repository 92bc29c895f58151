import { scopes } from '@carillon/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { failedIn, PartFailed, type Progress } from './progress';
import type { FirstAccount, PairedPhone } from './secret-values';
import type { Secrets } from './secrets';

const part = 'account';

export interface FirstAccountAccess {
  /** Null when this data folder does not know the first account's password. */
  readonly account: FirstAccount | null;
  readonly apiToken: string | null;
  readonly phones: readonly PairedPhone[];
}

interface HttpAnswer {
  readonly status: number;
  // What comes over HTTP is looked at field by field, and a missing one is told.
  readonly body: Record<string, unknown>;
}

/** How long requests are retried at the start: a slow machine may not be able to store anything yet. */
const patientMs = 30_000;
const againMs = 500;

async function call(method: string, url: string, body?: object, token?: string): Promise<HttpAnswer> {
  const until = Date.now() + patientMs;
  for (;;) {
    const answer = await callOnce(method, url, body, token);
    if ((answer.status !== 503 && answer.status !== 504) || Date.now() > until) return answer;
    await sleep(againMs);
  }
}

async function callOnce(method: string, url: string, body?: object, token?: string): Promise<HttpAnswer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  return { status: answer.status, body: fieldsOf(text ? JSON.parse(text) : undefined) };
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const unexpected = (what: string, { status, body }: { status: number; body: unknown }): PartFailed =>
  new PartFailed(part, `${what} was answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);

/**
 * The first account with its API token and two phones, made through the Session API as people and phones would.
 * Every step that is done already is left as it is, so that a start that was cut off goes on where it stopped.
 */
export async function firstAccount(options: {
  gatewayUrl: string;
  simulatorUrl: string | null;
  secrets: Secrets;
  progress: Progress;
}): Promise<FirstAccountAccess> {
  const { gatewayUrl, simulatorUrl, secrets } = options;
  const session = `${gatewayUrl}/api/session`;
  const { email, password } = secrets.values;

  const signIn = async (): Promise<{ accessToken: string; refreshToken: string } | undefined> => {
    const answer = await call('POST', `${session}/login/password`, { email, password, client: 'app' });
    if (answer.status === 401) return undefined;
    const accountId = textOf(fieldsOf(answer.body['account'])['id']);
    const accessToken = textOf(answer.body['accessToken']);
    const refreshToken = textOf(answer.body['refreshToken']);
    if (answer.status !== 200 || !accountId || !accessToken || !refreshToken)
      throw unexpected('signing in', { ...answer, body: Object.keys(answer.body) });
    secrets.keep({ accountId });
    return { accessToken, refreshToken };
  };

  const ensureAccount = async (): Promise<boolean> => {
    if (secrets.values.accountId && (await signIn())) return true;
    const answer = await call('POST', `${session}/bootstrap`, {
      secret: secrets.values.bootstrapSecret,
      email,
      name: 'Owner',
      password,
      client: 'app',
    });
    if (answer.status === 201) {
      const accountId = textOf(fieldsOf(answer.body['account'])['id']);
      if (!accountId)
        throw unexpected('making the first account', { ...answer, body: Object.keys(answer.body) });
      // A log that is new knows nothing of an earlier token or phone.
      secrets.keep({ accountId, apiToken: null, phones: [] });
      return true;
    }
    if (answer.status !== 410) throw unexpected('making the first account', answer);
    // It was made by a start that was cut off before it could note that, or by somebody else.
    return (await signIn()) !== undefined;
  };

  const tokenIsGood = async (): Promise<boolean> => {
    const { accountId, apiToken } = secrets.values;
    if (!accountId || !apiToken) return false;
    const { status } = await call('GET', `${gatewayUrl}/api/agent/auth/status`, undefined, apiToken);
    return status !== 401;
  };

  const makeToken = async (): Promise<void> => {
    const signedIn = await signIn();
    if (!signedIn) return;
    const answer = await call(
      'POST',
      `${session}/tokens`,
      { name: 'Standalone', scopes },
      signedIn.accessToken,
    );
    if (answer.status !== 201 || typeof answer.body['secret'] !== 'string')
      throw unexpected('making the API token', answer);
    secrets.keep({ apiToken: answer.body['secret'] });
  };

  const ensurePhones = async (simulator: string): Promise<void> => {
    const answer = await call('GET', `${simulator}/phones`);
    const listed = answer.body['phones'];
    if (!Array.isArray(listed)) throw unexpected('listing the phones', answer);
    const there = new Set(listed.map((phone) => fieldsOf(phone)['id']));
    let phones = (secrets.values.phones ?? []).filter(({ id }) => there.has(id));
    const moved = secrets.values.pairedWith !== gatewayUrl;
    for (const platform of ['ios', 'android'] as const) {
      const known = phones.find((phone) => phone.platform === platform);
      if (known && !moved) continue;
      // A phone has a session of its own, as it renews it alone.
      const pair = await signIn();
      if (!pair) return;
      const pairing = { baseUrl: gatewayUrl, ...pair };
      const answer = known
        ? await call('POST', `${simulator}/phones/${known.id}/pair`, pairing)
        : await call('POST', `${simulator}/phones`, {
            platform,
            name: platform === 'ios' ? "Owner's iPhone" : "Owner's Pixel",
            liveActivities: platform === 'ios',
            interactiveLiveActivities: platform === 'ios',
            pair: pairing,
          });
      // A phone whose app was taken off in the simulator stays as it is.
      if (known && answer.status === 409) continue;
      const phone = fieldsOf(answer.body['phone']);
      const [id, deviceId] = [textOf(phone['id']), textOf(phone['deviceId'])];
      if (answer.status >= 300 || !id || !deviceId) throw unexpected(`pairing the ${platform} phone`, answer);
      phones = [...phones.filter((other) => other.platform !== platform), { id, platform, deviceId }];
      secrets.keep({ phones });
    }
    secrets.keep({ phones, pairedWith: gatewayUrl });
  };

  try {
    const complete = await tokenIsGood();
    if (!complete && !(await ensureAccount())) {
      options.progress.say(
        part,
        secrets.values.accountId
          ? `the password of ${email} is not the one of the first start; phones and token stay as they are`
          : 'there is an account already that this data folder does not know; sign in with that one',
      );
    } else {
      if (!complete) await makeToken();
      if (simulatorUrl) await ensurePhones(simulatorUrl);
    }
  } catch (error) {
    throw failedIn(part, error);
  }
  const { accountId, apiToken, phones } = secrets.values;
  return {
    account: accountId ? { id: accountId, email, password } : null,
    apiToken: apiToken ?? null,
    phones: simulatorUrl ? (phones ?? []) : [],
  };
}
