import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { fingerprint } from './canonical';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a fingerprint', () => {
  it('is SHA-256 over canonical JSON', () => {
    expect(fingerprint({ b: [1, 'é'], a: null })).toBe(sha256('{"a":null,"b":[1,"é"]}'));
    expect(fingerprint({ n: 1e21, z: -0, s: '\u20ac$\u000f\nA\'"\\' })).toBe(
      sha256('{"n":1e+21,"s":"€$\\u000f\\nA\'\\"\\\\","z":0}'),
    );
    expect(fingerprint('a')).toBe(sha256('"a"'));
  });
  it('does not see the order of keys, nor absent ones', () => {
    expect(fingerprint({ a: 1, b: { c: 2, d: 3 } })).toBe(
      fingerprint({ b: { d: 3, c: 2, e: undefined }, a: 1 }),
    );
    expect(fingerprint([1, 2])).not.toBe(fingerprint([2, 1]));
    expect(fingerprint({ a: null })).not.toBe(fingerprint({}));
  });
  it('sees the values of a class as those of an object', () => {
    class Held {
      a = 1;
    }
    expect(fingerprint(new Held())).toBe(fingerprint({ a: 1 }));
  });
  it('is the same after a journey as JSON', () =>
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(fingerprint(JSON.parse(JSON.stringify(value)))).toBe(fingerprint(value)),
      ),
    ));
  it('is only for JSON values', () => {
    expect(() => fingerprint(undefined)).toThrow(TypeError);
    expect(() => fingerprint({ a: Number.NaN })).toThrow();
  });
});
