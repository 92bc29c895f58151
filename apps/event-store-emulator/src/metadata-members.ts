import { NumberText, type Json } from './relaxed-json';

/** The most seconds that the server's type for a span of time holds. */
const MAX_SPAN = 922_337_203_685n;
const ROLES = new Set(['$r', '$w', '$d', '$mr', '$mw']);

/** A member of metadata that the server cannot read. */
export class Unreadable extends Error {}

/** A whole number. */
export function whole(value: Json): bigint {
  const number = value instanceof NumberText ? value.whole() : undefined;
  if (number === undefined) throw new Unreadable();
  return number;
}

/** A span of time, in seconds. */
export function span(value: Json): bigint {
  const seconds = whole(value);
  if (seconds > MAX_SPAN || seconds < -MAX_SPAN) throw new Unreadable();
  return seconds;
}

export function flag(value: Json): boolean {
  if (typeof value !== 'boolean') throw new Unreadable();
  return value;
}

/** Who may do what; nobody is kept out here, but what cannot be read is not taken. */
export function checkAccess(value: Json): void {
  if (!(value instanceof Map)) throw new Unreadable();
  for (const [role, who] of value) {
    const named = Array.isArray(who) ? who : [who];
    if (!ROLES.has(role) || !named.every((each) => typeof each === 'string')) throw new Unreadable();
  }
}
