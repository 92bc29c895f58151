import { calledTool, clientName, parsed } from './messages';

describe('a body', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', [1]],
    ['{', undefined],
    ['', undefined],
  ])('%j is read as %j', (text, value) => expect(parsed(Buffer.from(text))).toEqual(value));

  it('that is not UTF-8 is no JSON', () => {
    expect(parsed(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined();
    expect(parsed(null)).toBeUndefined();
  });
});

describe('a message', () => {
  it('calls a tool by its name', () =>
    expect(calledTool({ method: 'tools/call', params: { name: 'ask' } })).toBe('ask'));

  it.each([
    null,
    7,
    [{ method: 'tools/call', params: { name: 'ask' } }],
    { method: 'tools/list', params: { name: 'ask' } },
    { method: 'tools/call' },
    { method: 'tools/call', params: null },
    { method: 'tools/call', params: { name: 7 } },
  ])('calls none as %j', (message) => expect(calledTool(message)).toBeUndefined());
});

describe('the name of a client', () => {
  it('is its own, else its user agent', () => {
    expect(clientName({ name: 'story', version: '1' }, 'node')).toBe('story/1');
    expect(clientName(undefined, 'node')).toBe('node');
    expect(clientName(undefined, undefined)).toBe('unknown');
  });

  it('has 512 characters at most', () => {
    expect(clientName({ name: 'n'.repeat(600_000), version: '1' }, undefined)).toBe('n'.repeat(512));
    expect(clientName(undefined, 'u'.repeat(513))).toBe('u'.repeat(512));
  });
});
