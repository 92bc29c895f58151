import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeRing, withNewestFirst, withNewKey } from './key-ring-file';

const key = Buffer.alloc(32);

describe('the key ring', () => {
  it('gets a new key at the end, where it seals nothing yet', () =>
    expect(withNewKey('k1:one', key)).toBe(`k1:one,k2:${key.toString('base64')}`));

  it('gets no second key while one waits, so that the command may be repeated', () =>
    expect(withNewKey('k1:one, k2:two', key)).toBe('k1:one, k2:two'));

  it('gets the next after the keys were used', () =>
    expect(withNewKey('k2:two,k1:one', key)).toMatch(/^k2:two,k1:one,k3:/));

  it('seals with its newest key, whether that is said once or twice', () => {
    expect(withNewestFirst('k1:one,k10:ten,k2:two')).toBe('k10:ten,k1:one,k2:two');
    expect(withNewestFirst('k10:ten,k1:one,k2:two')).toBe('k10:ten,k1:one,k2:two');
  });
});

describe('the file of the key ring', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-ring-'));
  const file = join(folder, 'keys');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is changed and stays private, alone or among the secrets of a standalone', () => {
    writeFileSync(file, 'k1:one,k2:two\n', { mode: 0o600 });
    expect(changeRing(file, withNewestFirst)).toEqual(['k2', 'k1']);
    expect(readFileSync(file, 'utf8')).toBe('k2:two,k1:one');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, JSON.stringify({ pepper: 'p', keys: 'k1:one,k2:two' }));
    expect(changeRing(file, withNewestFirst)).toEqual(['k2', 'k1']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ pepper: 'p', keys: 'k2:two,k1:one' });
  });

  it.each(['', '{}', 'no ring'])('is left as it is without a ring: %j', (text) => {
    writeFileSync(file, text);
    expect(() => changeRing(file, withNewestFirst)).toThrow('has no key ring');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
