import type { HttpRequest } from '../request/row';
import type { Given } from './tool';

const isObject = (value: unknown): value is Given => typeof value === 'object' && value !== null;
export const isRecord = (value: unknown): value is Given => isObject(value) && !Array.isArray(value);

const utf8 = new TextDecoder('utf-8', { fatal: true });
const message = Symbol('message');

declare module 'fastify' {
  interface FastifyRequest {
    [message]?: { readonly json: unknown };
  }
}

/** The JSON of a request's body, which may be a megabyte, read once; undefined when it is none. */
export const messageOf = (http: HttpRequest): unknown => (http[message] ??= { json: parsed(http.body) }).json;

/** The JSON of a body; undefined when it is none, which the protocol's own answer says. */
export function parsed(body: Buffer | null | undefined): unknown {
  if (!body) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}

/** The name of the tool that a message calls. */
export function calledTool(message: unknown): string | undefined {
  if (!isObject(message) || message['method'] !== 'tools/call') return undefined;
  const { params } = message;
  return isObject(params) && typeof params['name'] === 'string' ? params['name'] : undefined;
}

const longestName = 512;

/** What a client calls itself: in its messages or, where these do not say, in its `User-Agent`. */
export const clientName = (
  known: { readonly name: string; readonly version: string } | undefined,
  userAgent = 'unknown',
): string => (known ? `${known.name}/${known.version}` : userAgent).slice(0, longestName);
