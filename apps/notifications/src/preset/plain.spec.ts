import type { HookMessage } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { costlyTexts } from '@carillon/testkit';
import { readPlain } from './plain';

/** The message of a payload; of one that has none, its fields. */
const readMessage = (type: string | undefined, raw: Buffer): HookMessage => {
  const plain = readPlain(type, raw);
  return 'message' in plain ? plain.message : ({ fields: plain.fields } as never);
};

const json = (value: unknown, type = 'application/json') =>
  readMessage(type, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
const form = (text: string) => readMessage('application/x-www-form-urlencoded', Buffer.from(text));
const plain = (text: string | Buffer, type = 'text/plain') => readMessage(type, Buffer.from(text));

const refused = (read: () => unknown): { reason: string; paths: string[] } => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const issues = (error.details['issues'] ?? []) as { path: string }[];
    return { reason: error.reason, paths: issues.map(({ path }) => path) };
  }
  throw new Error('it was not refused');
};
const invalid = (...paths: string[]) => ({ reason: 'input.invalid', paths });

describe('a message in JSON', () => {
  it('has all it may have', () => {
    const whole = {
      title: 'Build',
      body: 'green',
      url: 'https://ci.test/1',
      imageUrl: 'https://ci.test/1.png',
      bodyFormat: 'markdown',
      appId: 'app_1',
    };
    expect(json(whole)).toEqual(whole);
  });

  it.each([
    [{ body: 'a', message: 'b', text: 'c' }, 'a'],
    [{ text: 'c', message: 'b' }, 'b'],
    [{ text: 'c' }, 'c'],
    [{ body: null, text: 'c' }, 'c'],
  ])('%j says %s', (given, body) => expect(json(given)).toEqual({ body }));

  it('may carry whatever else its sender thinks of', () =>
    expect(
      json(
        `{"text":"hi","__proto__":{"title":"x"},"constructor":1,"toString":null,"attachments":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      ),
    ).toEqual({ body: 'hi' }));

  it('takes null for absent', () =>
    expect(json({ text: 'hi', title: null, url: null, bodyFormat: null })).toEqual({ body: 'hi' }));

  it('is measured after it was brought into normal form', () => {
    expect(json({ text: ` ${'e\u0301'.repeat(8000)} ` }).body).toBe('é'.repeat(8000));
    expect(json({ text: '🔔'.repeat(8000), title: '🔔'.repeat(120) }).title).toBe('🔔'.repeat(120));
    expect(refused(() => json({ text: '🔔'.repeat(8001) }))).toEqual(invalid('text'));
    expect(refused(() => json({ text: 'a', title: 'x'.repeat(121) }))).toEqual(invalid('title'));
  });

  it('may have an empty title', () =>
    expect(json({ text: 'a', title: ' ' })).toEqual({ body: 'a', title: '' }));

  it('may have lines that end in any way', () =>
    expect(json({ text: 'one\r\ntwo\rthree\n' })).toEqual({ body: 'one\ntwo\nthree' }));

  it.each([
    [{}, ['body']],
    [{ body: '' }, ['body']],
    [{ message: ' \n ' }, ['message']],
    [{ text: 7 }, ['text']],
    [{ text: ['a'] }, ['text']],
    [{ body: { text: 'a' } }, ['body']],
    [{ text: 'bell \u0007' }, ['text']],
    [{ text: 'half \ud83d' }, ['text']],
    [{ text: 'a', title: 7 }, ['title']],
    [{ text: 'a', title: 'two\nlines' }, ['title']],
    [{ text: 'a', url: 'javascript:alert(1)' }, ['url']],
    [{ text: 'a', url: 'nowhere' }, ['url']],
    [{ text: 'a', imageUrl: 'http://ci.test/1.png' }, ['imageUrl']],
    [{ text: 'a', bodyFormat: 'html' }, ['bodyFormat']],
    [{ text: 'a', appId: 'no id' }, ['appId']],
    [{ __proto__: { body: 'inherited' } }, ['body']],
  ])('%j is refused', (given, paths) => expect(refused(() => json(given))).toEqual(invalid(...paths)));

  it.each(['[]', '"text"', '7', 'null', '{"text":', '{"text":"a"}}', '\ufeff'])('%s is none', (text) =>
    expect(refused(() => json(text))).toMatchObject({ reason: 'hook.not_json' }),
  );

  it('must be UTF-8', () =>
    expect(
      refused(() => readMessage('application/json', Buffer.from('{"text":"\u00e9"}', 'latin1'))),
    ).toMatchObject({ reason: 'hook.not_json' }));
});

describe('a JSON object without any of the names', () => {
  it.each([{ title: 'CI' }, { body: null, title: 'CI' }, { alerts: [] }])(
    '%j is left to recognition',
    (fields) => expect(json(fields)).toEqual({ fields }),
  );
});

describe('a message as text', () => {
  it('is the body', () => {
    expect(plain('main is green\r\nall is well')).toEqual({ body: 'main is green\nall is well' });
    expect(plain('{"text":"a"}', 'text/plain; charset=utf-8; format=flowed')).toEqual({
      body: '{"text":"a"}',
    });
  });
  it('must be text', () => {
    expect(refused(() => plain(Buffer.from([0xff, 0xfe, 0x41])))).toEqual(invalid('body'));
    expect(refused(() => plain('a\u0000b'))).toEqual(invalid('body'));
    expect(refused(() => plain(' '))).toEqual(invalid('body'));
  });
});

describe('a message as a form', () => {
  it('has the same names', () => {
    expect(form('message=main+is+green&title=CI%20%F0%9F%94%94&other=1')).toEqual({
      body: 'main is green',
      title: 'CI 🔔',
    });
    expect(form('text=one%0D%0Atwo&text=three&__proto__=x')).toEqual({ body: 'one\ntwo' });
  });
  it('is refused as JSON is', () => {
    expect(refused(() => form('text='))).toEqual(invalid('text'));
    expect(refused(() => form('text=a&bodyFormat=html'))).toEqual(invalid('bodyFormat'));
  });
});

describe('the media type', () => {
  it.each(['application/json', 'Application/JSON; charset="UTF-8"', 'application/cloudevents+json'])(
    '%s is JSON',
    (type) => expect(json({ text: 'a' }, type)).toEqual({ body: 'a' }),
  );
  it.each([
    'multipart/form-data; boundary=x',
    'text/html',
    'application/octet-stream',
    'application/json; charset=latin1',
    'text/plain; charset=utf-16',
    'json',
    '',
    undefined,
  ])('%s is none of ours', (type) =>
    expect(refused(() => readMessage(type, Buffer.from('{"text":"a"}')))).toMatchObject({
      reason: 'hook.unsupported_media_type',
    }),
  );
  it('does not matter where nothing is said', () => {
    expect(refused(() => readMessage(undefined, Buffer.alloc(0)))).toEqual(invalid('body'));
    expect(refused(() => readMessage('application/json', Buffer.alloc(0)))).toEqual(invalid('body'));
  });
});

describe('what calls itself a form and is none', () => {
  it('is the text, as curl -d sends it', () => {
    expect(form('hello')).toMatchObject({ body: 'hello' });
    expect(form('disk is 90% full & rising')).toMatchObject({ body: 'disk is 90% full & rising' });
    expect(form('load=3')).toMatchObject({ body: 'load=3' });
  });
  it('is JSON when it is a JSON object, as curl -d sends that too', () => {
    expect(form('{"text":"a","title":"CI"}')).toMatchObject({ body: 'a', title: 'CI' });
    expect(form('{"title":"CI"}')).toEqual(form('title=CI'));
    expect(form('{not json')).toMatchObject({ body: '{not json' });
  });
  it('is refused without any text', () => expect(refused(() => form('  '))).toEqual(invalid('body')));
  it('is a form as soon as it has a name that we know', () =>
    expect(form('title=only')).toEqual({ fields: { title: 'only' } }));
  it('is the JSON in its field `payload`, as GitHub sends it', () =>
    expect(form(`payload=${encodeURIComponent('{"zen":"a"}')}`)).toEqual({ fields: { zen: 'a' } }));
});

describe('the work of a message grows with its length', () => {
  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded'])('as %s', (type) =>
    expect(
      costlyTexts((text) => [
        readMessage(type, Buffer.from(text)),
        readMessage(type, Buffer.from(`{"${text}`)),
      ]),
    ).toEqual([]),
  );
  it('as its texts', () =>
    expect(
      costlyTexts((text) => json({ title: text, text, url: `https://a.test/${text}`, appId: text })),
    ).toEqual([]));
  it('as the name of its type', () =>
    expect(
      costlyTexts((text) => [readMessage(text, Buffer.from('a')), plain('a', `text/plain;${text}`)]),
    ).toEqual([]));
});
