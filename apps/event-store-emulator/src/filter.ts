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
      expression = new RegExp(regex);
    } catch (error) {
      throw new BadFilter(`the filter is no regular expression: ${(error as Error).message}`);
    }
    return (event) => expression.test(event[on]);
  }
  if (!prefixes?.length) throw new BadFilter('the filter has neither a regular expression nor a prefix');
  return (event) => prefixes.some((prefix) => event[on].startsWith(prefix));
}

/** Counts considered events and says when a checkpoint is due. */
export class Checkpoints {
  private considered = 0;
  private sentAt = -1;

  constructor(
    private readonly every: number,
    private readonly send: (position: number) => void,
  ) {}

  /** To be called for each event that was looked at, whether it matched or not, and after it was sent. */
  consider(position: number): void {
    if (++this.considered < this.every) return;
    this.considered = 0;
    this.reach(position);
  }

  /** Sends a checkpoint now, unless the last one was at the same position. */
  reach(position: number): void {
    if (position === this.sentAt) return;
    this.sentAt = position;
    this.send(position);
  }
}
