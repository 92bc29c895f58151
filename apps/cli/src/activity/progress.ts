/** What a command says of its progress: a share from 0 to 1, null while it is unknown. */
export type Progress = number | null;

// OSC 9;4, as terminals know it: state, then percent, then BEL or ST
const osc = /\x1b\]9;4;([0-4])(?:;(\d{1,3}))?(?:\x07|\x1b\\)/g;
const ofSteps = /(?:^|[^\d./])(\d{1,9})\s*\/\s*(\d{1,9})[\])]?\s*$/;
const ofPercent = /(?:^|[^\d.])(\d{1,3}(?:\.\d+)?)\s*%[\])]?\s*$/;
/** Colours and the like are no text. */
const styling = /\x1b\[[0-9;?]*[A-Za-z]/g;

/** Longer parts without a line end are no line that tells of progress. */
const longestLine = 4_096;

function inLine(line: string): Progress | undefined {
  const text = line.replace(styling, '');
  const [, percent] = ofPercent.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) <= 100 ? Number(percent) / 100 : undefined;
  const [, done, all] = ofSteps.exec(text) ?? [];
  const share = Number(done) / Number(all);
  return Number.isFinite(share) && share <= 1 ? share : undefined;
}

/**
 * Reads the output of a command piece by piece. OSC 9;4 is meant for this and wins: once it has come, `n/m` and `%` at
 * the ends of lines are output like any other.
 */
export class ProgressReader {
  private rest = '';
  private hasOsc = false;

  /** The newest progress that a piece of output tells; nothing where it tells none. */
  read(piece: string): Progress | undefined {
    const text = this.rest + piece;
    let found: Progress | undefined;
    let end = 0;
    for (const match of text.matchAll(osc)) {
      this.hasOsc = true;
      end = match.index + match[0].length;
      const percent = Number(match[2] ?? 0);
      found = match[1] === '0' || match[1] === '3' ? null : Math.min(1, percent / 100);
    }
    const lines = text.slice(end).split(/[\r\n]+/);
    this.rest = (lines.pop() ?? '').slice(-longestLine);
    if (this.hasOsc) return found;
    return lines.map(inLine).findLast((progress) => progress !== undefined);
  }
}
