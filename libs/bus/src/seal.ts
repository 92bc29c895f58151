import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Contract } from '@carillon/contracts';
import { setting } from '@carillon/settings';
import type { Ask, Context } from './envelope';

/** The seal of a request is wrong or missing, so its caller is not proved. Refused as `caller.unproven`. */
export const unproven = 'caller.unproven';

let known: readonly KeyObject[] | undefined;

/**
 * The keys of `CARILLON_CALLER_KEY`, which only the gateway, the services and the operator's tools hold. The first is
 * the newest and seals; the others still verify, so that a key can be rotated while everything runs.
 */
export const callerKeys = (): readonly KeyObject[] => (known ??= readKeys(setting('CARILLON_CALLER_KEY')));

export function readKeys(text: string): readonly KeyObject[] {
  return text.split(',').map((part) => {
    const bytes = Buffer.from(part.trim(), 'base64');
    if (bytes.length < 32)
      throw new Error(
        'The setting CARILLON_CALLER_KEY must be base64 of at least 32 bytes, the newest first',
      );
    return createSecretKey(bytes);
  });
}

/**
 * Seals the caller, input, subject and deadline of a request, as JSON text: HMAC-SHA-256. A process that reads it on
 * the bus can only repeat the same request until its deadline.
 */
export const sealOf = (key: KeyObject, subject: string, context: string, input: string): string =>
  mac(key, subject, context, input).toString('base64url');

/** A request as the bus carries it, for calling a handler without the bus. */
export const sealed = <Input>(
  { subject }: Contract<Input, unknown>,
  input: Input,
  context: Context,
): Ask<Input> => ({
  context,
  input,
  seal: sealOf(callerKeys()[0] as KeyObject, subject, JSON.stringify(context), JSON.stringify(input)),
});

/**
 * True when exactly this request was sealed with one of the keys. The parsed values can be verified, since parsing and
 * serializing Carillon's JSON text gives the same text (ADR 22).
 */
export function isSealed(
  keys: readonly KeyObject[],
  subject: string,
  ask: { readonly context: unknown; readonly input: unknown; readonly seal: unknown },
): boolean {
  if (typeof ask.seal !== 'string') return false;
  const given = Buffer.from(ask.seal, 'base64url');
  const [context, input] = [JSON.stringify(ask.context) ?? '', JSON.stringify(ask.input) ?? ''];
  return keys.some((key) => {
    const expected = mac(key, subject, context, input);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

// Neither JSON text nor a subject has line breaks: no text can be moved from one part to the next.
const mac = (key: KeyObject, subject: string, context: string, input: string): Buffer =>
  createHmac('sha256', key).update(`${subject}\n${context}\n${input}`).digest();
