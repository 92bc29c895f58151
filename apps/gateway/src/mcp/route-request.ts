import type { Row } from '../request/row';
import type { Given } from './tool';

export interface RouteRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly payload?: string;
}

/** An argument as text in a path or a query, which an address could have. */
const asText = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\p{Surrogate}/gu, '\ufffd');

/** The request of a route that the arguments of a tool stand for. */
export function requestOf({ method, path }: Row, { idempotencyKey, ...given }: Given): RouteRequest {
  const rest: Record<string, unknown> = { ...given };
  const params: Record<string, string> = {};
  for (const [, name = ''] of path.matchAll(/:(\w+)/g)) {
    params[name] = asText(rest[name]);
    delete rest[name];
  }
  const headers: Record<string, string> =
    typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {};
  if (method !== 'GET')
    return {
      ...{ params, query: {} },
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(rest),
    };
  const query = Object.entries(rest).flatMap(([name, value]): [string, string | string[]][] => {
    const texts = [value].flat().flatMap((each) => (each === null ? [] : [asText(each)]));
    const [first, ...others] = texts;
    return first === undefined ? [] : [[name, others.length > 0 ? texts : first]];
  });
  return { headers, params, query: Object.fromEntries(query) };
}

/** The address of such a request. */
export function urlOf({ path }: Row, { params, query }: RouteRequest): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) pairs.append(name, each);
  return pairs.size > 0 ? `${filled}?${pairs}` : filled;
}
