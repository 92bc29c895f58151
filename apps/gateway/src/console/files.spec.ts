import { consoleHeaders } from './files';

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
