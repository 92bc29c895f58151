import { originOf } from './origin';

const from = (agent?: string): string | null =>
  originOf({ ip: '192.0.2.7', headers: agent === undefined ? {} : { 'user-agent': agent } }).userAgent;

describe('where a request came from', () => {
  it('is its address and its program', () =>
    expect(originOf({ ip: '192.0.2.7', headers: { 'user-agent': 'curl/8' } })).toEqual({
      ip: '192.0.2.7',
      userAgent: 'curl/8',
    }));
  it('has no program that was not named', () => {
    expect(from()).toBeNull();
    expect(from(' ')).toBeNull();
  });
  it('has at most 512 code points of a name', () => {
    expect(from('x'.repeat(600))).toBe('x'.repeat(512));
    expect(from('\u{1f514}'.repeat(600))).toBe('\u{1f514}'.repeat(512));
  });
  it('has no control characters', () => expect(from('a\tb\u0085c')).toBe('abc'));
});
