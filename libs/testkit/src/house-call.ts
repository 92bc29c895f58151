export interface HouseAnswer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says itself what it looks for
  readonly body: any;
}

export interface HouseRequest {
  readonly body?: unknown;
  /** Null sends none; without it the account's own. */
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

/** One call over HTTP, and its answer, whatever it says. */
export async function request(
  method: string,
  url: string,
  { body, token, headers }: HouseRequest = {},
): Promise<HouseAnswer> {
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  let parsed: unknown = text;
  if (text && answer.headers.get('content-type')?.includes('json')) parsed = JSON.parse(text);
  return { status: answer.status, headers: answer.headers, body: parsed };
}
