/** A line with an iCalendar property, such as `DTSTART;TZID=…`, and its encoded value. */
export const property = (name: string, value: string): string => `${name}:${value}`;

/** A text value with line breaks and separators escaped (RFC 5545, 3.3.11). */
export const text = (value: string): string =>
  value.replaceAll(/[\\;,]/g, (found) => `\\${found}`).replaceAll(/\r\n|[\r\n]/g, '\\n');

/** A component with its properties and nested components. */
export const component = (name: string, ...lines: readonly string[]): string[] => [
  `BEGIN:${name}`,
  ...lines,
  `END:${name}`,
];

const maxOctets = 75;

/** The lines folded to at most 75 octets without splitting a character (RFC 5545, 3.1). */
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
