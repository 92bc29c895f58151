import { type Checkpoint, isSignedBy } from './checkpoint';
import { digestOf, hashOf, type Proof, type EntryView, signedActions } from './entry';
import type { ExportRow, Reading } from './read-export';

/** An entry that says of itself what its hash says of it; or what is wrong with it. */
export type CheckedRow =
  { readonly entry: EntryView; readonly fault?: undefined } | { readonly fault: string };

/** Checks a row by itself. Where it can be read in several ways, one that is right is enough. */
export function checkRow({ readings }: ExportRow): CheckedRow {
  let checked: CheckedRow = { fault: 'it cannot be read' };
  for (const reading of readings) {
    checked = checkReading(reading);
    if (checked.fault === undefined) break;
  }
  return checked;
}

function checkReading(reading: Reading): CheckedRow {
  if (!isEntry(reading)) return { fault: 'it is not as an entry is written' };
  const { proof, ...metadata } = reading.metadata;
  const { actorName, ip, userAgent, hash, createdAt } = reading;
  const { teamId, sequence, salt, digest, checkpoint } = proof;
  if (salt === undefined) {
    if ([actorName, ip, userAgent].some((value) => value !== null) || Object.keys(metadata).length > 0)
      return { fault: 'it has text, and nothing that proves it' };
  } else if (digestOf(salt, { actorName, ip, userAgent, metadata }) !== digest)
    return { fault: 'its name, address, program or metadata is not what was recorded' };
  if (hashOf({ ...reading, ...proof }) !== hash) return { fault: 'it is not what was recorded' };
  if (checkpoint) {
    if (!isSignedBy(checkpoint, { teamId, sequence, hash, at: createdAt }))
      return { fault: 'its signature is not right' };
  } else if (signedActions.includes(reading.action)) return { fault: 'its signature is missing' };
  return { entry: reading };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const texts = ['createdAt', 'action', 'id', 'previousHash', 'hash'] as const;
const mayBeNull = [
  'actorUserId',
  'actorName',
  'actorTokenId',
  'targetType',
  'targetId',
  'ip',
  'userAgent',
] as const;
const known = new Set<string>([...texts, ...mayBeNull, 'metadata', 'teamId']);

type RowReading = Reading & EntryView;

/** What has members that nothing proves is no entry. */
function isEntry(reading: Reading): reading is RowReading {
  const { metadata, teamId } = reading;
  return (
    texts.every((name) => isText(reading[name])) &&
    mayBeNull.every((name) => isTextOrNull(reading[name])) &&
    Object.keys(reading).every((name) => known.has(name)) &&
    isObject(metadata) &&
    isProof(metadata['proof']) &&
    (teamId === undefined || teamId === metadata['proof'].teamId)
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isProof(value: unknown): value is Proof {
  if (!isObject(value)) return false;
  const { teamId, sequence, keptFrom, digest, salt, checkpoint, ...more } = value;
  return (
    isText(teamId) &&
    isCount(sequence) &&
    isCount(keptFrom) &&
    isText(digest) &&
    (salt === undefined || isText(salt)) &&
    (checkpoint === undefined || isCheckpoint(checkpoint)) &&
    Object.keys(more).length === 0
  );
}

function isCheckpoint(value: unknown): value is Checkpoint {
  if (!isObject(value)) return false;
  const { key, signature, ...more } = value;
  return isText(key) && isText(signature) && Object.keys(more).length === 0;
}
