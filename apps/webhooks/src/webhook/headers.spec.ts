import type { Refused } from '@carillon/eventing';
import { hiddenValue } from '@carillon/contracts';
import { type GivenHeader, isRefusedName, keepsValue, mergedHeaders } from './headers';

const header = (name: string): GivenHeader => ({
  name,
  value: { sealed: `sealed ${name}`, isSame: () => false },
});
const issuesOf = (headers: GivenHeader[]): unknown => {
  try {
    return mergedHeaders(headers, []);
  } catch (error) {
    return (error as Refused).details['issues'];
  }
};

describe('the name of a saved header', () => {
  it.each([
    'Host',
    'Content-Length',
    'content-type',
    'Transfer-Encoding',
    'CONNECTION',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'Keep-Alive',
    'Cookie',
    'Proxy-Authorization',
    'proxy-',
    'Sec-Fetch-Site',
    'Webhook-Signature',
    'webhook-anything',
    'X-Forwarded-For',
    'x-forwarded-proto',
    'Forwarded',
    'User-Agent',
    'Connector-Signature',
    'Carillon-Sequence',
    'carillon-user-id',
  ])('is not %s', (name) => {
    expect(isRefusedName(name)).toBe(true);
    expect(issuesOf([header(name)])).toEqual([
      { path: 'headers.0.name', message: expect.any(String), code: 'invalid_value' },
    ]);
  });
  it.each([
    'Authorization',
    'X-Api-Key',
    'Accept',
    'Set-Cookie',
    'X-Forwarded',
    'Webhook',
    'Secret',
    'Connector',
    'Carillon',
    'Proxy',
    'Tea',
  ])('may be %s', (name) => expect(isRefusedName(name)).toBe(false));
  it('is there once, whatever its case', () =>
    expect(issuesOf([header('X-Key'), header('x-KEY')])).toEqual([
      { path: 'headers.1.name', message: 'must not be there twice', code: 'not_unique' },
    ]));
  it('is reported at each path with a fault', () =>
    expect(issuesOf([header('Host'), header('X-Key'), { name: 'Cookie' }])).toMatchObject([
      { path: 'headers.0.name' },
      { path: 'headers.2.name' },
      { path: 'headers.2.value' },
    ]));
});

it('keeps the saved value when none or the hidden one is given', () => {
  expect([undefined, hiddenValue, '*******', '*********', 'a'].map(keepsValue)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
