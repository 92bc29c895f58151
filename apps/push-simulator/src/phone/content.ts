import { number, object, text } from '../json.js';

/** What an activity shows of a prompt. */
export interface ContentPrompt {
  id: string;
  kind: 'approval' | 'yes_no' | 'reply';
  /** The buttons in their order; the id is the answer that a press sends. */
  actions: { id: string; label: string }[];
  actionDigest: string;
}

/** What an activity shows, as far as the simulator looks into it; the page draws the rest. */
export interface Content {
  title: string;
  sequence: number;
  prompt?: ContentPrompt | null | undefined;
}

/** Says what is wrong with one value; undefined when nothing is. */
type ContentCheck = (value: unknown) => string | undefined;

const must = (what: string, met: (value: unknown) => boolean): ContentCheck => {
  return (value) => (met(value) ? undefined : `must be ${what}`);
};
const aText = must('a text', (value) => text(value) !== undefined);
const aTime = must(
  'an ISO 8601 time',
  (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)),
);
const anEntryOf = (...words: string[]): ContentCheck => {
  return must(`one of ${words.join(', ')}`, (value) => words.some((word) => word === value));
};
const aFraction = must('a number from 0 to 1', (value) => {
  const given = number(value);
  return given !== undefined && given >= 0 && given <= 1;
});
const orNone =
  (check: ContentCheck): ContentCheck =>
  (value) =>
    value === undefined || value === null ? undefined : check(value);
const aListOf =
  (check: ContentCheck): ContentCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    const defects = value.map(check);
    const at = defects.findIndex((defect) => defect !== undefined);
    return at < 0 ? undefined : `[${at}] ${defects[at]}`;
  };
const anObjectOf =
  (fields: Record<string, ContentCheck>): ContentCheck =>
  (value) => {
    const given = object(value);
    if (!given) return 'must be an object';
    for (const [name, check] of Object.entries(fields)) {
      const defect = check(given[name]);
      if (defect !== undefined) return `.${name} ${defect}`;
    }
    return undefined;
  };

// The type that the app decodes the content into. Like the real one it takes fields that it does not know.
const content = anObjectOf({
  title: aText,
  sequence: must('a whole number', Number.isSafeInteger),
  subtitle: orNone(aText),
  status: orNone(aText),
  detail: orNone(aText),
  icon: orNone(aText),
  accentColor: orNone(aText),
  imageUrl: orNone(aText),
  url: orNone(aText),
  progress: orNone(aFraction),
  layout: orNone(anEntryOf('standard', 'ring', 'hero', 'terminal', 'steps')),
  state: orNone(anEntryOf('running', 'waiting', 'success', 'warning', 'error')),
  steps: orNone(
    aListOf(anObjectOf({ label: aText, state: anEntryOf('pending', 'active', 'done', 'failed') })),
  ),
  lines: orNone(aListOf(aText)),
  startedAt: orNone(aTime),
  endsAt: orNone(aTime),
  prompt: orNone(
    anObjectOf({
      id: aText,
      kind: anEntryOf('approval', 'yes_no', 'reply'),
      actions: aListOf(anObjectOf({ id: aText, label: aText })),
      actionDigest: aText,
    }),
  ),
});

/** True for what the app can read as the content of an activity. */
export const isContent = (value: unknown): value is Content & Record<string, unknown> =>
  content(value) === undefined;

/** Why the app cannot read this as the content of an activity; undefined when it can. */
export function contentDefect(value: unknown): string | undefined {
  const defect = content(value);
  return defect?.replace(/^\./, '').replaceAll(' [', '[').replaceAll(' .', '.');
}
