import { consoleHeaders, encodingFor } from './files';

const file = { plain: Buffer.from('a'), gzip: Buffer.from('b'), br: Buffer.from('c') };

describe('the encoding of a file', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.000', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for a caller that takes %s is %s', (accepted, encoding) =>
    expect(encodingFor(file, accepted)).toBe(encoding),
  );

  it('is one that the build has made', () =>
    expect(encodingFor({ plain: file.plain }, 'br, gzip')).toBeUndefined());
});

describe('the headers of a file', () => {
  it('let caches keep only what has a hash in its name', () => {
    expect(consoleHeaders('assets/index-abc.js')['cache-control']).toContain('immutable');
    for (const name of ['index.html', 'worker.js', 'manifest.webmanifest'])
      expect(consoleHeaders(name)['cache-control']).toBe('no-cache');
  });

  it('let in nothing from elsewhere, nothing inline, and no frame around it', () => {
    const policy = consoleHeaders('index.html')['content-security-policy'] ?? '';
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types carillon");
    expect(policy).not.toMatch(/unsafe|data:|blob:|\*/);
  });
});
