import type { HttpRequest } from './row';

/** Whether the body has this field, as far as that is known before the request is validated. */
export function gives({ body }: Pick<HttpRequest, 'body'>, field: string): boolean {
  if (!body?.includes(`"${field}"`)) return false;
  try {
    const given: unknown = JSON.parse(body.toString('utf8'));
    return typeof given === 'object' && given !== null && Object.hasOwn(given, field);
  } catch {
    return false;
  }
}
