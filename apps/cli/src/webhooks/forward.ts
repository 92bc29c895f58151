import type { WebhookMessage } from '@carillon/client';

/** As long as a delivery may take. */
const withinMs = 15_000;

/** The receiver is away, or has answered with a failure. */
export class NotForwarded extends Error {
  override readonly name = 'NotForwarded';
}

/** Posts a message as a delivery does: its bytes and headers unchanged, and no redirect followed. Gives the status. */
export async function forward(to: URL, { headers, body }: WebhookMessage): Promise<number> {
  const bytes = Buffer.from(body, 'utf8');
  // Loaded only here: no other command needs them, and each would start later.
  const { request } = await (to.protocol === 'https:' ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new NotForwarded(why));
    const outgoing = request(to, {
      method: 'POST',
      headers: { ...headers, 'content-length': bytes.length },
      signal: AbortSignal.timeout(withinMs),
    });
    outgoing.on('error', ({ name, message }) =>
      fail(name === 'AbortError' ? `no answer within ${withinMs / 1_000} s` : message),
    );
    outgoing.on('response', (response) => {
      response.on('error', ({ message }) => fail(message));
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        if (status >= 200 && status < 300) resolve(status);
        else fail(`status ${status}`);
      });
      response.resume();
    });
    outgoing.end(bytes);
  });
}
