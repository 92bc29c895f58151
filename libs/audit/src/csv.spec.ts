import { costlyTexts } from '@carillon/testkit';
import { csvRecord, harmless, mayHaveBeen, readCsv } from './csv';

const records = (text: string) => [...readCsv(text)];

describe('a cell', () => {
  it.each(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])(
    'that begins with %j is no formula: a quote comes before it',
    (character) => {
      const cell = harmless(`${character}SUM(A1)`);
      expect(cell).toBe(`'${character}SUM(A1)`);
      expect(mayHaveBeen(cell)).toEqual([`${character}SUM(A1)`, cell]);
    },
  );
  it.each(['Ann', "'Ann", '', '1=1', '{"a":1}'])('that begins no formula stays as it is: %j', (text) => {
    expect(harmless(text)).toBe(text);
    expect(mayHaveBeen(text)).toEqual([text]);
  });
  it('that begins a formula all the same is none of ours', () => expect(mayHaveBeen('=1')).toEqual([]));
});

describe('a record', () => {
  it('has its separators in quotes, and quotes twice', () =>
    expect(csvRecord(['a,b', 'say "hi"', 'two\r\nlines', 'plain', ''])).toBe(
      '"a,b","say ""hi""","two\r\nlines",plain,\r\n',
    ));
  it('is read as it was written', () => {
    const cells = ['a,b', 'say "hi"', '"', 'two\r\nlines', '', 'x"', ''];
    expect(records(csvRecord(cells) + csvRecord(['z']))).toEqual([
      { cells, line: 1 },
      { cells: ['z'], line: 3 },
    ]);
  });
  it.each(['a\n', 'a\r', 'a', '"a"\r\n', '"a\r\n', 'a"b\r\n', '"a,b"c\r\n', '"a"",b\r\n'])(
    'that is written in another way is none: %j',
    (text) => expect(records(text)).toEqual([{ cells: undefined, line: 1 }]),
  );
});

it('the work of a record grows with the length of its cells', () =>
  expect(
    costlyTexts((text) => {
      const record = csvRecord([harmless(text), text]);
      mayHaveBeen(text);
      return [[...readCsv(record)], [...readCsv(text)]];
    }),
  ).toEqual([]));
