import type { LedgerEntry, RequestOutcome } from './ledger';
import type { Names } from './observe';
import { judgeRestored } from './restored';

const backupMs = 1_000;
const entry = (
  kind: LedgerEntry['kind'],
  name: string,
  untilMs: number,
  told: RequestOutcome = 'acknowledged',
): LedgerEntry => ({ atMs: untilMs - 10, untilMs, kind, name, told, answer: '201' });
const names = (some: Partial<Names>): Names => ({
  notification: [],
  prompt: [],
  page: [],
  approved: [],
  ...some,
});

describe('the verdict on a restored installation', () => {
  it('holds when what was acknowledged before the backup is there, with or without what came later', () => {
    const entries = [
      entry('notification', 'kept', 900),
      entry('notification', 'later', 1_100),
      entry('notification', 'refused', 900, 'refused'),
      entry('prompt', 'asked', 800),
      entry('answer', 'asked', 900),
    ];
    const there = { prompt: ['asked'], approved: ['asked'] };
    expect(judgeRestored(entries, backupMs, names({ ...there, notification: ['kept'] }))).toEqual([]);
    expect(judgeRestored(entries, backupMs, names({ ...there, notification: ['kept', 'later'] }))).toEqual(
      [],
    );
  });

  it('names what is lost, what is there twice, and what nobody asked for', () => {
    const entries = [
      entry('notification', 'lost', 900),
      entry('notification', 'twice', 900),
      entry('page', 'down', 999),
      entry('prompt', 'asked', 800),
      entry('answer', 'asked', 900),
    ];
    const there = names({ notification: ['twice', 'twice', 'strange'], prompt: ['asked'] });
    expect(judgeRestored(entries, backupMs, there)).toEqual([
      'notification "lost" is lost',
      'notification "twice" is there 2 times',
      'notification "strange" was not asked for',
      'page "down" is lost',
      'the answer to "asked" is lost',
    ]);
  });

  it('finds a write lost that was acknowledged at the moment of the backup', () =>
    expect(judgeRestored([entry('page', 'down', backupMs)], backupMs, names({}))).toEqual([
      'page "down" is lost',
    ]));
});
