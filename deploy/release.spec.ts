import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'carillon-release-'));
const clone = join(folder, 'clone');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const keyFile = join(folder, 'key.pem');

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' }).trim();

/** In a clone, which has this checkout's tools, so that nothing is tagged here. */
function release(...args: readonly string[]): { readonly code: number | null; readonly says: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/release.mjs', ...args], {
    cwd: clone,
    encoding: 'utf8',
  });
  return { code: status, says: stdout + stderr };
}

const madeOf = (version: string): string => join(folder, version);
const read = (version: string, file: string): Buffer => readFileSync(join(madeOf(version), file));

beforeAll(() => {
  writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  execFileSync('git', ['clone', '--quiet', root, clone]);
  git('config', 'user.name', 'Releaser');
  git('config', 'user.email', 'releaser@example.test');
  for (const tag of git('tag', '--list').split('\n').filter(Boolean)) git('tag', '--delete', tag);
  execFileSync('cp', [join(root, 'tools/release.mjs'), join(clone, 'tools/release.mjs')]);
  execFileSync('cp', [join(root, 'CHANGELOG.md'), clone]);
  git('commit', '--quiet', '--all', '--allow-empty', '--message', 'The tools of the checkout');
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a release', () => {
  it('that is a dry run has everything in its folder, and changes nothing', () => {
    const { code, says } = release('0.1.0', `--out=${madeOf('dry')}`, '--dry-run');
    expect([code, says]).toEqual([0, expect.stringContaining('a dry run: nothing is tagged')]);
    expect(readdirSync(madeOf('dry')).sort()).toEqual([
      'CHANGES-0.1.0.md',
      'SHA256SUMS',
      'carillon-0.1.0.cdx.json',
      'carillon-0.1.0.intoto.json',
      'carillon-0.1.0.mjs',
      'carillon-0.1.0.tar.gz',
      'carillon-chart-0.1.0.tgz',
    ]);
    expect([git('status', '--porcelain'), git('tag', '--list')]).toEqual(['', '']);
  }, 60_000);

  it('is tagged, and has its version everywhere, its changes, checksums and a signed statement', () => {
    expect(release('0.1.0', `--out=${madeOf('0.1.0')}`, `--key=${keyFile}`).code).toBe(0);
    writeFileSync(
      join(clone, 'CHANGELOG.md'),
      readFileSync(join(clone, 'CHANGELOG.md'), 'utf8').replace(
        '## Unreleased\n',
        '## Unreleased\n\nFaster.\n',
      ),
    );
    git('commit', '--quiet', '--all', '--message', 'Say what changes');
    expect(release('0.2.0', `--out=${madeOf('0.2.0')}`, `--key=${keyFile}`).code).toBe(0);
    expect(git('tag', '--list')).toBe('v0.1.0\nv0.2.0');
    expect(git('status', '--porcelain')).toBe('');
    const { status } = spawnSync('git', ['-C', clone, 'grep', '-F', ':0.1.0', '--', '*.yaml', 'docs/*.md']);
    expect(status).toBe(1);
    expect(read('0.2.0', 'CHANGES-0.2.0.md').toString()).toBe('Faster.\n');
    expect(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(
      /## Unreleased\n\n## 0\.2\.0, \d{4}-\d\d-\d\d\n\nFaster\.\n\n## 0\.1\.0, /,
    );

    const { payload, payloadType, signatures } = JSON.parse(
      read('0.2.0', 'carillon-0.2.0.intoto.json').toString(),
    );
    const body = Buffer.from(payload, 'base64');
    const head = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `);
    const signature = Buffer.from(signatures[0].sig, 'base64');
    expect(verify(null, Buffer.concat([head, body]), publicKey, signature)).toBe(true);
    const statement = JSON.parse(body.toString());
    for (const { name, digest } of statement.subject) {
      const sum = createHash('sha256').update(read('0.2.0', name)).digest('hex');
      expect(sum).toBe(digest.sha256);
      expect(read('0.2.0', 'SHA256SUMS').toString()).toContain(`${sum}  ${name}\n`);
    }
    const [source] = statement.predicate.buildDefinition.resolvedDependencies;
    expect(source.digest.gitCommit).toBe(git('rev-parse', 'v0.2.0^{commit}'));
  }, 120_000);

  it('has the chart with all that its templates read', () => {
    const files = execFileSync('tar', ['-tvzf', join(madeOf('0.2.0'), 'carillon-chart-0.2.0.tgz')], {
      encoding: 'utf8',
    });
    for (const file of ['observability/rules.yaml', 'nats/accounts.conf'])
      expect(files).toMatch(new RegExp(`^-.* carillon/files/${file}$`, 'm'));
  });

  it('names every package that runs, and none that only builds and tests', () => {
    const { components, metadata } = JSON.parse(read('0.2.0', 'carillon-0.2.0.cdx.json').toString());
    const names = components.map(({ name }: { name: string }) => name);
    expect(metadata.component).toMatchObject({ name: 'carillon', version: '0.2.0' });
    expect(names).toEqual(expect.arrayContaining(['pg', 'fastify', 'apns2']));
    for (const name of ['jest', 'eslint', 'nx']) expect(names).not.toContain(name);
  });

  it.each([
    ['of no version', ['next'], /"next" is no version/],
    ['of an earlier version', ['0.1.5'], /0\.1\.5 does not come after 0\.2\.0/],
    ['of a released version', ['0.2.0'], /v0\.2\.0 has been released/],
    ['that changes nothing', ['0.3.0'], /says nothing under "## Unreleased"/],
    ['without a version', [], /usage:/],
  ])('%s is refused', (_, args, why) => {
    const { code, says } = release(...args, `--out=${madeOf('refused')}`);
    expect([code, says]).toEqual([2, expect.stringMatching(why)]);
  });

  it('of what is not committed is refused', () => {
    writeFileSync(join(clone, 'CHANGELOG.md'), '## Unreleased\n\nMore.\n');
    expect(release('0.3.0', `--out=${madeOf('refused')}`)).toEqual({
      code: 2,
      says: 'there are changes that are not committed\n',
    });
  });
});
