import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * What comes behind the secret in the path of a request; undefined when the path does not begin with it. It stands in
 * the path so that one link is all that a browser or a program needs, and what the page asks for is beside it.
 */
export function behindSecret(secret: string, url: string): string | undefined {
  const [, given, rest] = /^\/([^/?]*)(.*)$/s.exec(url) ?? [];
  return given !== undefined && isSame(given, secret) ? rest : undefined;
}

/** Takes as long for a wrong one as for the right one. */
const isSame = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
