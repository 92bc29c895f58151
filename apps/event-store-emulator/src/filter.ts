import { messageOf } from './failure';

/** What a filter looks at. */
export interface Filterable {
  stream: string;
  type: string;
}

export interface FilterExpression {
  on: 'stream' | 'type';
  regex?: string;
  prefixes?: readonly string[];
}

export class BadFilter extends Error {}

/** Makes a test out of a filter. The server's regular expressions are .NET's; these are JavaScript's. */
export function matcher({ on, regex, prefixes }: FilterExpression): (event: Filterable) => boolean {
  if (regex) {
    let expression: RegExp;
    try {
      // JavaScript knows classes of letters only where text is taken as Unicode.
      expression = new RegExp(regex, /\\[pP]\{/.test(regex) ? 'u' : '');
    } catch (error) {
      throw new BadFilter(`the filter is no regular expression: ${messageOf(error)}`);
    }
    return (event) => expression.test(event[on]);
  }
  // Without either nothing matches.
  return (event) => (prefixes ?? []).some((prefix) => event[on].startsWith(prefix));
}
