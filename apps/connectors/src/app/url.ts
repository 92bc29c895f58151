import { deriveId, streamTail } from '@carillon/signing';

/** What makes two URLs the same app: without the fragment, the host in lower case, no default port. */
export function normalised(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}

export const originOf = (url: string): string => new URL(url).origin;

/** The key of a URL with an owner, an account or a team. What the URL is is not in it. */
export const urlKeyOf = (ownerId: string, url: string): string =>
  streamTail(deriveId('key', 0, ownerId, normalised(url)));
