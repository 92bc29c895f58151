import { createHash, timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import type { Failure } from './responses';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Says whether a caller may come in. Without users everybody may, as on a server in insecure mode; with users only
 * those who name themselves: one who does not is denied, one who names himself wrongly is not authenticated.
 */
export class EmulatorAccess {
  private readonly users: ReadonlyMap<string, Buffer>;
  /** Basic credentials come with each call; the header that was right once need not be taken apart again. */
  private readonly accepted = new Set<string>();

  constructor(users: Readonly<Record<string, string>> | undefined) {
    this.users = new Map(Object.entries(users ?? {}).map(([name, password]) => [name, digest(password)]));
  }

  check(metadata: Metadata): Failure | undefined {
    if (this.users.size === 0) return undefined;
    const header = metadata.get('authorization')[0]?.toString();
    if (header === undefined) return { failure: 'access-denied' };
    if (this.accepted.has(header)) return undefined;
    const basic = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(header);
    const [, name, password] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(basic?.[1] ?? '', 'base64').toString()) ?? [];
    const expected = name === undefined ? undefined : this.users.get(name);
    if (!expected || !timingSafeEqual(expected, digest(password ?? '')))
      return { failure: 'not-authenticated' };
    this.accepted.add(header);
    return undefined;
  }
}
