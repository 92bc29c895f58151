import fc from 'fast-check';
import { plainText } from './plain-text';

describe('markdown as plain text', () => {
  it.each([
    ['# Title', 'Title'],
    ['**bold** and *it* and __b__ and ~~gone~~', 'bold and it and b and gone'],
    ['run `npm test` now', 'run npm test now'],
    ['see [the log](https://a.example/1) now', 'see the log now'],
    ['![a bell](bell.png) rings', 'a bell rings'],
    ['- one\n- two\n\n1. three', 'one\ntwo\n\nthree'],
    ['> quoted', 'quoted'],
    ['```js\nlet a = 1;\n```', 'let a = 1;'],
    ['Title\n=====\ntext', 'Title\n\ntext'],
    ['<b>hi</b> there', 'hi there'],
    ['snake_case_name and 2 * 3 = 6', 'snake_case_name and 2 * 3 = 6'],
    ['plain\n\n\n\ntext  \n', 'plain\n\ntext'],
    ['🔔 **👨‍👩‍👧**', '🔔 👨‍👩‍👧'],
    ['', ''],
    ['***', ''],
  ])('%j', (markdown, text) => expect(plainText(markdown)).toBe(text));

  it('of any text is a text', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'*_`~[]()<>#=-+!:^| \n\ta1."\\🔔'), maxLength: 300 }),
        (text) => {
          expect(typeof plainText(text)).toBe('string');
        },
      ),
    ));

  // Each of these took seconds to hours with the rules of the package alone, or makes many steps of one of them.
  it.each(
    [
      '*',
      '_',
      '`',
      '~',
      '[',
      '<',
      '#',
      '>',
      '=',
      '-',
      ' ',
      '\t',
      '\n',
      '![',
      '[](',
      '[a](',
      '*a ',
      '`a',
      '``a`',
      '```\n',
    ].concat([
      '~~\n',
      '\n==',
      '# #',
      '#\n',
      '\n ',
      '> ',
      '>\n',
      '- ',
      '<a',
      '<a>\n',
      '[a]: ',
      '[^',
      '**a ',
      '🔔',
      '*🔔 ',
      '1. ',
      '[a] (',
      '---\n',
    ]),
  )('of nothing but %j comes quickly', (unit) => {
    for (const before of ['', '**a', '# ', '[']) {
      const hostile = (before + unit.repeat(16_000)).slice(0, 16_000);
      const started = performance.now();
      plainText(hostile);
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });
  it('reads no more than the longest body', () =>
    expect(plainText('a'.repeat(1_000_000))).toHaveLength(16_000));
});
