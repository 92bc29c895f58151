import { consoleFile, consoleHeaders, typeOf } from './files';

describe('a path of the console', () => {
  it('is a file of the build, or asks for the document', () => {
    for (const file of ['worker.js', 'manifest.webmanifest', 'assets/index-abc.js', 'nothing.css'])
      expect(consoleFile(file)).toBe(file);
    for (const page of ['', 'tokens', 'teams/team_1', 'join/abc.def/x'])
      expect(consoleFile(page)).toBe('index.html');
  });

  it('leads to nothing but what browsers load', () => {
    expect(typeOf('assets/index-abc.js')).toBe('text/javascript; charset=utf-8');
    for (const file of [
      ...['chunks.json', 'builds.json', 'index.html.br', '..', '../x.js', 'assets/../x.js', 'assets/a/b.js'],
      ...['assets/', '.env', '/etc/x.js', 'assets\\..\\x.js', 'a\0.js'],
    ])
      expect([file, typeOf(file)]).toEqual([file, undefined]);
  });
});

it('the document lets in nothing from elsewhere, nothing inline, and no frame around it', () => {
  const policy = consoleHeaders['content-security-policy'] ?? '';
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types carillon");
  expect(policy).not.toMatch(/unsafe|data:|blob:|\*/);
});
