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

  it.each(['\r\n', '\r', '\u2028', '\u2029'])('takes %j for the end of a line', (end) =>
    expect(plainText(`# Title${end}- one${end}- two`)).toBe('Title\none\ntwo'),
  );

  it('reads no more than the longest body', () =>
    expect(plainText('a'.repeat(1_000_000))).toHaveLength(16_000));
});
