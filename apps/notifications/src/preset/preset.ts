import { type ServiceGrouping, severities, type Severity } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { fingerprint } from '@carillon/signing';

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A payload as a preset reads it: a JSON object, and the headers by their names in lower case. */
export interface Payload {
  readonly fields: Fields;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a payload says that something is wrong, or that it is over. */
export type AlertState = 'firing' | 'resolved' | 'none';

/** What a preset makes of a payload. Texts are as the sender wrote them, of any length. */
export interface Draft {
  readonly title?: string | undefined;
  readonly body: string;
  readonly url?: string | undefined;
  readonly state: AlertState;
  /** What the state is about, the same while it fires and when it is resolved. */
  readonly dedupKey: string | null;
  readonly severity: Severity | null;
  /** The same for each repetition of the payload; null where the sender gives no means to tell one. */
  readonly once: string | null;
  /** `once` tells a state that may come back, in which the sender repeats it, rather than one delivery. */
  readonly mayRecur?: boolean;
  readonly isCode?: boolean;
  /** It is listed and pages, and another event of the same payload is pushed for it. */
  readonly withoutPush?: boolean;
  /** It only resolves a page: without one it is no event. */
  readonly onlyResolves?: boolean;
  /** What of the payload became no event. */
  readonly notes?: readonly Unread[];
}

/** What the creator of the service is told of a payload, with the path of the field that it is about. */
export interface Unread {
  readonly path: string;
  readonly message: string;
}

/** Reads a payload. Refused `input.invalid` with the path of what does not fit. */
export type Preset = (payload: Payload, eventsPer: ServiceGrouping) => readonly Draft[];

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path such as `data.event.title`, of own fields only. */
export const at = (fields: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (found, name) => (isFields(found) && Object.hasOwn(found, name) ? found[name] : undefined),
      fields,
    );

/** The first text or number at one of the paths that is not blank. */
export function textAt(fields: unknown, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = at(fields, path);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The title of an alert that says its state. */
export const titled = (state: 'firing' | 'resolved', name: string): string =>
  `${state === 'firing' ? 'Firing' : 'Resolved'}: ${name}`;

/** The lines that there are, one below the other. */
export const lines = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n');

/** A key for any value, of a fixed length. */
export const keyOf = (...parts: readonly unknown[]): string => fingerprint(parts);

export const unfit = (path: string, message: string): Refused =>
  new Refused('input.invalid', { issues: [{ path, message, code: 'invalid_format' }] });

const levels: Readonly<Record<Severity, RegExp>> = {
  critical: /^(?:critical|fatal|emergency|alert|page|disaster|p1|sev1)$/,
  error: /^(?:error|high|major|p2|sev2)$/,
  warning: /^(?:warning|warn|medium|moderate|average|minor|p3|sev3)$/,
  info: /^(?:info|information|informational|low|none|notice|debug|p4|p5|sev4|sev5)$/,
};

/** The severity that a sender's word means; null for a word that is not known. */
export function severityOf(word: string | undefined): Severity | null {
  const asked = word?.trim().toLowerCase() ?? '';
  return severities.find((severity) => levels[severity].test(asked)) ?? null;
}
