import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { afterFrame } from './after-frame';

/** The first format makes the browser read what it knows of languages, which takes as long as drawing the inbox. */
const makeFormats = () => ({
  exact: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  relative: new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' }),
});
type Formats = ReturnType<typeof makeFormats>;

let made: Formats | undefined;
const formats = signal<Formats | undefined>(undefined);
const formatsNow = (): Formats => (made ??= makeFormats());

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function ago({ relative }: Formats, at: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  return 'now';
}

/** A moment: how long ago, and exactly on request. */
export function Time({ at }: { at: string }) {
  const known = formats.value;
  useEffect(() => (known ? undefined : afterFrame(() => (formats.value = formatsNow()))), [known]);
  if (!known) return <time dateTime={at} />;
  return (
    <time dateTime={at} title={known.exact.format(new Date(at))}>
      {ago(known, at)}
    </time>
  );
}

export const moment = (at: string): string => formatsNow().exact.format(new Date(at));
