import type { Row } from '../request/row';
import type { Given } from './tool';

export interface RouteRequest {
  readonly method: Row['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

/** An argument as text in a path or a query. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The request of a route that the arguments of a tool stand for. */
export function requestOf({ method, path }: Row, { idempotencyKey, ...given }: Given): RouteRequest {
  const rest: Record<string, unknown> = { ...given };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(asText(value));
  });
  const headers: Record<string, string> =
    typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {};
  if (method !== 'GET')
    return {
      method,
      url: filled,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(rest),
    };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== null) query.append(name, asText(each));
  return { method, url: query.size > 0 ? `${filled}?${query}` : filled, headers };
}
