import type { EventMetadata, Origin } from '@carillon/eventing';
import { openWith, SealBroken } from '@carillon/signing';
import { isFields, type RawEvent } from './event-store';
import type { AccountKey } from './keys';

/** The field that holds the sealed personal fields. */
export const sealedField = 'sealed';

interface Opened {
  readonly fields: object;
  readonly unreadable?: 'personal' | 'all';
}

/** Decrypts an event. One that can never be decrypted must not block later events: its personal fields read as null. */
export function opened({ data, metadata, stream }: RawEvent, keys: ReadonlyMap<string, AccountKey>): Opened {
  if (!isFields(data)) return { fields: {}, unreadable: 'all' };
  if (!isSealed(data)) return { fields: data };
  const { [sealedField]: sealed, ...open } = data;
  const key = keys.get(metadata.accountId) ?? 'gone';
  if (key === 'gone') return { fields: open };
  if (key === 'broken') return { fields: open, unreadable: 'personal' };
  try {
    const hidden: object = JSON.parse(openWith(key, sealed, stream).toString('utf8'));
    return { fields: { ...open, ...hidden } };
  } catch (error) {
    if (error instanceof SealBroken || error instanceof SyntaxError)
      return { fields: open, unreadable: 'personal' };
    throw error;
  }
}

/** The account whose key seals the origin of a request: the acting account, even if it changes another's data. */
export const originKeyOf = ({ actor, accountId }: Pick<EventMetadata, 'actor' | 'accountId'>): string =>
  actor.accountId || accountId;

/** A separate sealing context, so that a sealed origin cannot pass for another sealed value of the stream. */
export const originContext = (stream: string): string => `${stream} origin`;

const unknownOrigin: Origin = { ip: null, userAgent: null };

/** An origin that cannot be decrypted counts as erased. */
export function openedMetadata(
  { stream, metadata }: RawEvent,
  keys: ReadonlyMap<string, AccountKey>,
): EventMetadata {
  if (metadata.origin === undefined) return metadata;
  const { origin: sealed, ...rest } = metadata;
  const key = keys.get(originKeyOf(metadata)) ?? 'gone';
  if (key === 'gone' || key === 'broken') return { ...rest, origin: unknownOrigin };
  try {
    const { ip, userAgent }: Origin = JSON.parse(
      openWith(key, sealed, originContext(stream)).toString('utf8'),
    );
    return { ...rest, origin: { ip, userAgent } };
  } catch (error) {
    if (error instanceof SealBroken || error instanceof SyntaxError)
      return { ...rest, origin: unknownOrigin };
    throw error;
  }
}

export const isSealed = (data: unknown): data is { [sealedField]: string } =>
  isFields(data) && typeof data[sealedField] === 'string';
