const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function ago(at: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  return 'now';
}

/** A moment: how long ago, and exactly on request. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={exact.format(new Date(at))}>
    {ago(at)}
  </time>
);

export const moment = (at: string): string => exact.format(new Date(at));
