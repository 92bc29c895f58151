import type { Method, Row } from '../request/row';
import { requestOf } from './route-request';

const row = (method: Method, path: string): Row => ({ method, path, access: 'token', scopes: [] });

describe('the request of a route', () => {
  it('has the id in its path and everything else in its body', () =>
    expect(requestOf(row('POST', '/a/:id/b'), { id: 'x/../y z', note: 'n', idempotencyKey: 'k 1' })).toEqual({
      method: 'POST',
      url: '/a/x%2F..%2Fy%20z/b',
      headers: { 'idempotency-key': 'k 1', 'content-type': 'application/json' },
      payload: '{"note":"n"}',
    }));

  it('has its arguments in the query of a read, a list as several and null as none', () =>
    expect(
      requestOf(row('GET', '/a'), { status: ['active', 'ended'], q: 'a&b', unread: false, key: null }),
    ).toEqual({ method: 'GET', url: '/a?status=active&status=ended&q=a%26b&unread=false', headers: {} }));

  it.each([null, undefined])('has no idempotency key when that is %p', (idempotencyKey) => {
    const { headers, payload } = requestOf(row('POST', '/a'), { note: 'n', idempotencyKey });
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(payload).toBe('{"note":"n"}');
  });

  it('has no query without arguments', () =>
    expect(requestOf(row('GET', '/a'), {})).toEqual({ method: 'GET', url: '/a', headers: {} }));

  it('keeps the arguments of its caller as they are', () => {
    const given = { id: 'x', more: 1 };
    requestOf(row('GET', '/a/:id'), given);
    expect(given).toEqual({ id: 'x', more: 1 });
  });
});
