import type { ServicePayload } from '@carillon/contracts';
import { type Instant, Refused } from '@carillon/eventing';
import type { HookRequest, Reading } from '../preset/read';

/** How much of a payload is kept, in characters. */
const maxText = 16_000;
const maxIssues = 10;
/** The most events of a payload that are listed with it, so that twenty payloads fit into an answer. */
const maxEvents = 25;

/** What was made of a payload. */
export type Outcome = ReadPayload | { readonly refusal: Refused };

interface ReadPayload {
  readonly readings: readonly Reading[];
  readonly eventIds: readonly string[];
  readonly isLimited: boolean;
}

/** The codes that senders get for the refusals of payloads. */
const codes: Readonly<Record<string, string>> = {
  'hook.bad_signature': 'SIGNATURE_INVALID',
  'hook.not_json': 'INVALID_JSON',
  'hook.too_large': 'PAYLOAD_TOO_LARGE',
  'hook.unsupported_media_type': 'UNSUPPORTED_MEDIA_TYPE',
  'idempotency.key_reused': 'IDEMPOTENCY_KEY_REUSED',
  'input.invalid': 'VALIDATION_FAILED',
};

/** Whether a refusal is about the payload; others are about the time, such as a service that is down. */
export const isAboutPayload = (error: unknown): error is Refused =>
  error instanceof Refused && error.reason in codes;

/** A payload as its service keeps it. */
export function kept(
  { contentType, payload }: Pick<HookRequest, 'contentType' | 'payload'>,
  outcome: Outcome,
  receivedAt: Instant,
): ServicePayload {
  const text = payload.toString('utf8');
  return {
    receivedAt,
    contentType: contentType ?? null,
    bytes: payload.length,
    body: text.slice(0, maxText),
    ...('refusal' in outcome
      ? {
          outcome: 'refused',
          events: [],
          error: codes[outcome.refusal.reason] ?? null,
          issues: issuesOf(outcome.refusal),
        }
      : {
          outcome: outcome.isLimited ? 'limited' : 'event',
          events: eventsOf(outcome).slice(0, maxEvents),
          error: null,
          issues: notesOf(outcome),
        }),
  };
}

const eventsOf = ({ readings, eventIds }: ReadPayload): ServicePayload['events'] =>
  eventIds.flatMap((id, index) => {
    const reading = readings[index];
    if (!reading) return [];
    const { message, state, dedupKey, severity } = reading;
    return [{ id, title: message.title ?? null, state, dedupKey, severity }];
  });

/** What became no event, and how many events are not listed. */
function notesOf({ readings, eventIds }: ReadPayload): ServicePayload['issues'] {
  const unlisted = eventIds.length - maxEvents;
  const notes = readings.flatMap((reading) => reading.notes ?? []);
  return unlisted > 0 ? [...notes, { path: '', message: `has made ${unlisted} more events` }] : notes;
}

function issuesOf({ details }: Refused): ServicePayload['issues'] {
  const { issues } = details;
  if (!Array.isArray(issues)) return [];
  return issues.slice(0, maxIssues).map(({ path, message }: { path?: unknown; message?: unknown }) => ({
    path: String(path),
    message: String(message),
  }));
}
