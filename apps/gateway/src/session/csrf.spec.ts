import { crossSite } from './csrf';

const request = (headers: Record<string, string>, byCookie = true, method = 'POST') =>
  crossSite({ method, headers, byCookie, baseUrl: 'https://bells.example.test' });

describe('a request with a cookie', () => {
  it('passes from our own page', () => expect(request({ 'sec-fetch-site': 'same-origin' })).toBe(false));
  it('passes when the person typed the address', () =>
    expect(request({ 'sec-fetch-site': 'none' })).toBe(false));
  it('is refused from another site', () => expect(request({ 'sec-fetch-site': 'cross-site' })).toBe(true));
  it('is refused from a sibling host', () => expect(request({ 'sec-fetch-site': 'same-site' })).toBe(true));
  it('is refused from another site even when it claims our origin', () =>
    expect(request({ 'sec-fetch-site': 'cross-site', origin: 'https://bells.example.test' })).toBe(true));
  it('passes from an old browser with our origin', () =>
    expect(request({ origin: 'https://bells.example.test' })).toBe(false));
  it('is refused from an old browser with another origin', () =>
    expect(request({ origin: 'https://bells.example.test.evil.test' })).toBe(true));
  it('is refused when nothing says where it comes from', () => expect(request({})).toBe(true));
  it('may read from anywhere, since the answer stays unreadable there', () =>
    expect(request({ 'sec-fetch-site': 'cross-site' }, true, 'GET')).toBe(false));
});

describe('a request without a cookie', () => {
  it('passes from a program', () => expect(request({}, false)).toBe(false));
  it('is refused from a page of another site: it could sign the visitor in as somebody else', () =>
    expect(request({ origin: 'https://evil.test' }, false)).toBe(true));
});
