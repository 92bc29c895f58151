import { KnownEnvelopes, plainCall } from './plain-call';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'story', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const headers = {
  ...{ 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' },
  ...{ 'mcp-method': 'tools/call', 'mcp-name': 'whoami' },
};
const params = { name: 'whoami', arguments: { a: 1 }, _meta: meta };
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
const saying = (more: object) => ({ ...message, params: { ...params, ...more } });

describe('a plain call', () => {
  it('has its tool, its arguments and its client', () =>
    expect(plainCall(message, headers)).toEqual({
      ...{ id: 1, name: 'whoami', given: { a: 1 }, envelope: JSON.stringify(meta) },
      client: { name: 'story', version: '1' },
    }));

  it.each([
    ['wants progress', saying({ _meta: { ...meta, progressToken: 1 } })],
    ['wants a task', saying({ task: {} })],
    ['answers the server', saying({ inputResponses: {} })],
    ['has another method', { ...message, method: 'tools/list' }],
    ['has no id', { ...message, id: undefined }],
    ['has an id that is no integer', { ...message, id: 1.5 }],
    ['has another member', { ...message, more: 1 }],
    ['is a list', [message]],
  ])('is none that %s', (_what, other) => expect(plainCall(other, headers)).toBeUndefined());
});

describe('the envelopes that are known', () => {
  const called = (client: string) => {
    const found = plainCall(
      saying({
        _meta: { ...meta, 'io.modelcontextprotocol/clientInfo': { name: client, version: '1' } },
      }),
      headers,
    );
    if (!found) throw new Error('it is a plain call');
    return found;
  };

  it('are those that were added, each as a whole', () => {
    const known = new KnownEnvelopes();
    known.add(called('one'));
    expect([known.has(called('one')), known.has(called('two'))]).toEqual([true, false]);
  });

  it('are no more than fit, and none is long', () => {
    const known = new KnownEnvelopes(2);
    for (const name of ['one', 'two', 'three', 'x'.repeat(5_000)]) known.add(called(name));
    expect(['one', 'two', 'three', 'x'.repeat(5_000)].map((name) => known.has(called(name)))).toEqual([
      ...[false, false, true, false],
    ]);
  });
});
