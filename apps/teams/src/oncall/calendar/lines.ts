/** A property of iCalendar, such as `DTSTART;TZID=…`, and its value as it is written. */
export const property = (name: string, value: string): string => `${name}:${value}`;

/** A value of text, in which line breaks and what separates values are escaped (RFC 5545, 3.3.11). */
export const text = (value: string): string =>
  value.replaceAll(/[\\;,]/g, (found) => `\\${found}`).replaceAll(/\r\n|[\r\n]/g, '\\n');

/** A component with its properties and components. */
export const component = (name: string, ...lines: readonly string[]): string[] => [
  `BEGIN:${name}`,
  ...lines,
  `END:${name}`,
];

const maxOctets = 75;

/** The lines as they are sent: none longer than 75 octets, and no character cut in two (RFC 5545, 3.1). */
export const written = (lines: readonly string[]): string =>
  lines.map((line) => `${folded(line)}\r\n`).join('');

function folded(line: string): string {
  let parts = '';
  let octets = 0;
  for (const character of line) {
    const more = Buffer.byteLength(character);
    if (octets + more > maxOctets) {
      parts += '\r\n ';
      octets = 1;
    }
    parts += character;
    octets += more;
  }
  return parts;
}
