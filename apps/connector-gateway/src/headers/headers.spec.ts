import { costlyTexts } from '@carillon/testkit';
import type { IncomingHttpHeaders } from 'node:http';
import { refusalAnswer } from '../refusal/refusal-answer';
import { readAddress } from '../routing/address';
import { takePass } from '../routing/pass';
import { endedCookie, sessionCookie, sessionIn, withoutOurs } from './cookies';
import { requestHeaders } from './request-headers';
import { responseHeaders } from './response-headers';

const identity = { user: { id: 'usr_1', name: 'Ann', email: 'ann@example.test' }, assertion: 'a.b.c' };
const sender = { host: 'tools.example.test', peer: '127.0.0.1', upgrade: false, identity };

describe('the headers for the private service', () => {
  it('name the visitor as Carillon does', () =>
    expect(requestHeaders({ accept: '*/*' }, sender)).toEqual({
      accept: '*/*',
      host: 'tools.example.test',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'tools.example.test',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      'carillon-user-id': 'usr_1',
      'carillon-user-name': 'Ann',
      'carillon-user-email': 'ann@example.test',
      'carillon-assertion': 'a.b.c',
    }));

  it('say of somebody no more than they disclose', () => {
    const headers = requestHeaders({}, { ...sender, identity: { user: { id: 'usr_1' }, assertion: 'a' } });
    expect(Object.keys(headers).filter((name) => name.startsWith('carillon-'))).toEqual([
      'carillon-user-id',
      'carillon-assertion',
    ]);
  });

  it.each([
    'carillon-user-id',
    'Carillon-User-Id',
    'carillon_user_id',
    'CARILLON_USER-EMAIL',
    'carillon-user-name',
    'carillon_assertion',
    'carillon-something-new',
    'x-forwarded-host',
    'x_forwarded_proto',
    'x-forwarded-user',
    'forwarded',
    'connector-signature',
  ])('hold nothing of what a client says in our name: %s', (name) => {
    const { identity: _, ...nobody } = sender;
    expect(JSON.stringify(requestHeaders({ [name]: 'forged' }, nobody))).not.toContain('forged');
    expect(JSON.stringify(requestHeaders({ [name]: 'forged' }, sender))).not.toContain('forged');
  });

  it('hold the number of a callback, which Carillon sends, and no client', () => {
    const { identity: _, ...callback } = sender;
    expect(requestHeaders({ 'carillon-sequence': '7' }, callback)['carillon-sequence']).toBe('7');
    expect(requestHeaders({ carillon_sequence: '7' }, callback)).not.toHaveProperty('carillon_sequence');
    expect(requestHeaders({ 'carillon-sequence': '7' }, sender)).not.toHaveProperty('carillon-sequence');
  });

  it('hold a name that a header cannot hold percent-encoded', () => {
    const of = (name: string) =>
      requestHeaders({}, { ...sender, identity: { user: { id: 'u', name }, assertion: 'a' } })[
        'carillon-user-name'
      ];
    expect(of('Zoë 100%')).toBe('Zo%C3%AB 100%25');
    expect(of('山田')).toBe('%E5%B1%B1%E7%94%B0');
    expect(of('a\r\nb: c')).toBe('a%0D%0Ab: c');
    expect(of('\ud800')).toBe('%EF%BF%BD');
    expect(of(' a ')).toBe('%20a%20');
  });

  it('hold nothing that was for one connection only, nor what that connection names', () => {
    const headers = requestHeaders(
      {
        connection: 'keep-alive, X-Mine, x_other, content-length',
        'keep-alive': 'timeout=5',
        'x-mine': '1',
        'x-other': '1',
        te: 'trailers',
        trailer: 'x',
        upgrade: 'h2c',
        'proxy-authorization': 'Basic x',
        'proxy-connection': 'keep-alive',
        expect: '100-continue',
        'content-length': '3',
        accept: '*/*',
      },
      sender,
    );
    expect(
      Object.keys(headers)
        .filter((name) => !/^(x-forwarded|carillon)-/.test(name))
        .sort(),
    ).toEqual(['accept', 'content-length', 'host']);
  });

  it('keep a body of unknown length a body, so that it is not taken for another request', () =>
    expect(requestHeaders({ 'transfer-encoding': 'chunked' }, sender)['transfer-encoding']).toBe('chunked'));

  it('ask for a WebSocket where the client does', () =>
    expect(
      requestHeaders(
        { connection: 'keep-alive, Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'k' },
        { ...sender, upgrade: true },
      ),
    ).toMatchObject({ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'k' }));

  it('hold the cookies of the app, and none of ours of whatever route', () => {
    const of = (cookie: string) => requestHeaders({ cookie }, sender)['cookie'];
    const ours = '__Host-carillon_gateway_wiki=carillon_gws_x';
    expect(of('a=1; b=2')).toBe('a=1; b=2');
    expect(of(`a=1; ${ours}; b=2`)).toBe('a=1; b=2');
    expect(of(`${ours}; a=1;__Host-carillon_gateway_other=y`)).toBe('a=1');
    expect(of(ours)).toBeUndefined();
  });

  it('do not tell the app a pass by the page that led to it', () => {
    const of = (referer: string) => requestHeaders({ referer }, sender)['referer'];
    expect(of('https://tools.example.test/?carillon_pass=p')).toBeUndefined();
    expect(of('https://tools.example.test/?a=1&%63arillon_pass=p')).toBeUndefined();
    expect(of('https://tools.example.test/?a=1')).toBe('https://tools.example.test/?a=1');
  });

  it('say the way that the request came', () =>
    expect(
      requestHeaders({ 'x-forwarded-for': '203.0.113.7' }, { ...sender, host: 'tools.example.test:8443' }),
    ).toMatchObject({
      'x-forwarded-for': '203.0.113.7, 127.0.0.1',
      'x-forwarded-port': '8443',
    }));
});

describe('the headers for the client', () => {
  const of = (given: IncomingHttpHeaders, answered = { asDocument: false, last: false }) =>
    responseHeaders(given, answered);

  it('are those of the app from end to end', () =>
    expect(
      of({
        connection: 'x-hop',
        'x-hop': '1',
        'transfer-encoding': 'chunked',
        'keep-alive': 'timeout=5',
        'proxy-authenticate': 'Basic',
        etag: '"1"',
        'content-length': '3',
      }),
    ).toEqual({ etag: '"1"', 'content-length': '3', 'cache-control': 'private', connection: 'keep-alive' }));

  it('let the app set its cookies, and not ours', () => {
    expect(
      of({ 'set-cookie': ['a=1', '__Host-carillon_gateway_wiki=x; Path=/', 'b=2'] })['set-cookie'],
    ).toEqual(['a=1', 'b=2']);
    expect(of({})).not.toHaveProperty('set-cookie');
  });

  it.each([
    ['public, max-age=600', 'private, max-age=600'],
    ['s-maxage=9, max-age=600, immutable', 'private, max-age=600, immutable'],
    ['no-store', 'private, no-store'],
    ['', 'private'],
  ])('let nobody but the browser keep what one person may see: "%s" → "%s"', (given, expected) =>
    expect(
      of({ 'cache-control': given, 'content-type': 'image/png', 'cdn-cache-control': 'public' }),
    ).toEqual({
      'cache-control': expected,
      'content-type': 'image/png',
      connection: 'keep-alive',
    }),
  );

  it('let nobody keep a page, so that there is no way back to it', () => {
    expect(
      of({ 'cache-control': 'max-age=600', 'content-type': 'text/html; charset=utf-8' })['cache-control'],
    ).toBe('no-store');
    expect(
      of({ 'content-type': 'application/pdf' }, { asDocument: true, last: false })['cache-control'],
    ).toBe('no-store');
  });

  it('say when the connection ends', () =>
    expect(of({}, { asDocument: false, last: true }).connection).toBe('close'));
});

describe('the session cookie', () => {
  it('is for this host alone, out of reach of scripts, and of its route', () => {
    expect(sessionCookie('wiki', 's')).toBe(
      '__Host-carillon_gateway_wiki=s; Path=/; Secure; HttpOnly; SameSite=Lax',
    );
    expect(endedCookie('wiki')).toContain('__Host-carillon_gateway_wiki=; Max-Age=0; Path=/; Secure');
  });

  it('is found for its route alone', () => {
    const cookies =
      'a=1; __Host-carillon_gateway_wiki=w; __Host-carillon_gateway_wiki-2=v;__Host-carillon_gateway_x=';
    expect(['wiki', 'wiki-2', 'x', 'y'].map((route) => sessionIn(cookies, route))).toEqual([
      'w',
      'v',
      undefined,
      undefined,
    ]);
    expect(sessionIn(undefined, 'wiki')).toBeUndefined();
  });

  it('leaves nothing where there was nothing else', () =>
    expect(withoutOurs(' __Host-carillon_gateway_x=1')).toBeUndefined());
});

describe('the work that a text makes grows with its length', () => {
  it('as a name, an address and headers of a request', () =>
    expect(
      costlyTexts((text) =>
        requestHeaders(
          {
            cookie: `__Host-carillon_gateway_a=1; ${text}`,
            referer: `https://a.test/?${text}`,
            connection: text,
          },
          { ...sender, identity: { user: { id: 'usr_1', name: text, email: text }, assertion: 'a' } },
        ),
      ),
    ).toEqual([]));

  it('as a cookie', () => expect(costlyTexts((text) => sessionIn(text, 'a'))).toEqual([]));

  it('as what a visitor asks for', () =>
    expect(
      costlyTexts((text) => {
        readAddress(`/${text}`);
        takePass(text);
        refusalAnswer({ status: 400, code: 'BAD', title: text, text }, `${text}text/html`);
      }),
    ).toEqual([]));
});
