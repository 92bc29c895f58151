import { type Agent, request } from 'node:https';

export const audience = 'https://oauth2.googleapis.com/token';
const timeoutMs = 10_000;

/** The answer of Google's token endpoint; no field is guaranteed. */
interface TokenAnswer {
  readonly access_token?: unknown;
  readonly expires_in?: unknown;
  readonly error?: unknown;
}

/** Requests an access token for a signed assertion. Throws the error that prevented the request. */
export async function askForToken(
  assertion: string,
  agent: Agent,
): Promise<{ readonly status: number; readonly answer: TokenAnswer }> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion,
  });
  const { status, body } = await post(form.toString(), agent);
  return { status, answer: jsonOf(body) };
}

function post(form: string, agent: Agent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      audience,
      {
        method: 'POST',
        agent,
        timeout: timeoutMs,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(form),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    asked.on('timeout', () => asked.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    asked.on('error', reject);
    asked.end(form);
  });
}

function jsonOf(text: string): TokenAnswer {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
