const momentForm =
  /^([0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01]))[Tt]((?:[01][0-9]|2[0-3]):[0-5][0-9]:)([0-5][0-9]|60)(?:\.([0-9]{1,30}))?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))$/;

/** The moment in UTC to the millisecond, or nothing when the text is no RFC 3339 date and time of our era. */
export function moment(value: string): string | undefined {
  const found = momentForm.exec(value);
  if (!found) return undefined;
  const [, date, minutes, seconds, fraction = '', sign, offsetHours = 0, offsetMinutes = 0] = found;
  const leapSecond = seconds === '60';
  const local = `${date}T${minutes}${leapSecond ? '59' : seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const localMs = Date.parse(local);
  // The parser lets 30 February roll over; a date that exists comes back as it was written.
  if (Number.isNaN(localMs) || new Date(localMs).toISOString() !== local) return undefined;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60_000 : 60_000);
  const at = new Date(localMs - offsetMs + (leapSecond ? 1000 : 0));
  const year = at.getUTCFullYear();
  if (year < 1 || year > 9999) return undefined;
  const utc = at.toISOString();
  // A leap second is only ever the last of a day in UTC; it counts as the first of the next.
  return leapSecond && !utc.includes('T00:00:00') ? undefined : utc;
}

/** What is added to a date, or counted from it, stays far from where dates end. */
export const firstMoment = '1900-01-01T00:00:00.000Z';
export const lastMoment = '2199-12-31T23:59:59.999Z';
/** The same as far as a pattern can say it: an offset may lead into those years and out of them. */
export const momentInYears = momentForm.source.replace('[0-9]{4}', '(?:1899|19[0-9]{2}|2[01][0-9]{2}|2200)');
export const yearMs = 365.25 * 24 * 60 * 60 * 1000;
