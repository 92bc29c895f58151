import type { Method, Row } from '../request/row';
import { requestOf, urlOf } from './route-request';

const row = (method: Method, path: string): Row => ({ method, path, access: 'token', scopes: [] });

describe('the request of a route', () => {
  it('has the id in its path and everything else in its body', () => {
    const route = row('POST', '/a/:id/b');
    const request = requestOf(route, { id: 'x/../y z', note: 'n', idempotencyKey: 'k 1' });
    expect(request).toEqual({
      ...{ params: { id: 'x/../y z' }, query: {} },
      headers: { 'idempotency-key': 'k 1', 'content-type': 'application/json' },
      payload: '{"note":"n"}',
    });
    expect(urlOf(route, request)).toBe('/a/x%2F..%2Fy%20z/b');
  });

  it('has its arguments in the query of a read, a list as several and null as none', () => {
    const given = { status: ['active', null, 'ended'], q: 'a&b', unread: false, one: ['x'] };
    const request = requestOf(row('GET', '/a'), { ...given, key: null, none: [], half: '\ud800' });
    expect(request).toEqual({
      ...{ headers: {}, params: {} },
      query: { status: ['active', 'ended'], q: 'a&b', unread: 'false', one: 'x', half: '\ufffd' },
    });
    expect(urlOf(row('GET', '/a'), request)).toBe(
      '/a?status=active&status=ended&q=a%26b&unread=false&one=x&half=%EF%BF%BD',
    );
  });

  it.each([null, undefined])('has no idempotency key when that is %p', (idempotencyKey) => {
    const { headers, payload } = requestOf(row('POST', '/a'), { note: 'n', idempotencyKey });
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(payload).toBe('{"note":"n"}');
  });

  it('has no query without arguments', () =>
    expect(urlOf(row('GET', '/a'), requestOf(row('GET', '/a'), {}))).toBe('/a'));

  it('keeps the arguments of its caller as they are', () => {
    const given = { id: 'x', more: 1 };
    requestOf(row('GET', '/a/:id'), given);
    expect(given).toEqual({ id: 'x', more: 1 });
  });
});
