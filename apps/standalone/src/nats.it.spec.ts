import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Children } from './child';
import { findProgram, readReleases, type Releases, releasedProgram } from './nats';
import { Progress } from './progress';

const here = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;

describe("the vendor's release archive", () => {
  let folder: string;
  let vendor: Server;
  let asked: string[];
  let releases: Releases;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-nats-'));
    const name = 'nats-server-v9.9.9-linux-amd64';
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'nats-server'), '#!/bin/sh\necho nats-server: v9.9.9\n', {
      mode: 0o755,
    });
    spawnSync('tar', ['-czf', 'archive.tar.gz', name], { cwd: folder });
    const archive = readFileSync(join(folder, 'archive.tar.gz'));
    asked = [];
    vendor = createServer((request, response) => {
      asked.push(request.url!);
      response.end(archive);
    }).listen(0, '127.0.0.1');
    await once(vendor, 'listening');
    const { port } = vendor.address() as { port: number };
    releases = {
      version: '9.9.9',
      archive: `http://127.0.0.1:${port}/v{version}/{platform}.tar.gz`,
      sha256: { 'linux-amd64': createHash('sha256').update(archive).digest('hex') },
    };
  });

  afterEach(async () => {
    vendor.closeAllConnections();
    vendor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const provide = (given = releases, platform = 'linux-amd64') =>
    releasedProgram(given, join(folder, 'tools'), platform);

  it('is downloaded, checked and unpacked once', async () => {
    const program = await provide();
    expect(spawnSync(program.file, { encoding: 'utf8' }).stdout).toContain('v9.9.9');
    expect(await provide()).toMatchObject({ file: program.file, origin: 'from the tool cache' });
    expect(asked).toEqual(['/v9.9.9/linux-amd64.tar.gz']);
  });

  it('is downloaded again when the cached program was damaged', async () => {
    const program = await provide();
    writeFileSync(program.file, 'half');
    await provide();
    expect(asked).toHaveLength(2);
    expect(spawnSync(program.file, { encoding: 'utf8' }).stdout).toContain('v9.9.9');
  });

  it('is not used with another checksum than recorded', async () => {
    await expect(provide({ ...releases, sha256: { 'linux-amd64': 'ab'.repeat(32) } })).rejects.toThrow(
      /another checksum/,
    );
    await expect(provide({ ...releases, sha256: { 'linux-amd64': 'ab'.repeat(32) } })).rejects.toThrow();
  });

  it('is not asked for when no checksum is recorded for the platform', async () => {
    await expect(provide(releases, 'darwin-arm64')).rejects.toThrow(/no checksum .* darwin-arm64/);
    expect(asked).toEqual([]);
  });

  it('that cannot be had is told with its address', async () => {
    vendor.close();
    await once(vendor, 'close');
    await expect(provide()).rejects.toThrow(
      /v9\.9\.9\/linux-amd64\.tar\.gz cannot be downloaded: ECONNREFUSED/,
    );
  });

  it('is used without a nats-server on PATH, before any system package', async () => {
    const said: string[] = [];
    const progress = new Progress((text) => said.push(text));
    const data = mkdtempSync(join(tmpdir(), 'carillon-nats-'));
    const children = new Children(data, progress);
    const find = (given: Releases, path = '/nonexistent') =>
      findProgram({
        toolFolder: join(folder, 'tools'),
        mayInstall: false,
        children,
        progress,
        path,
        releases: { ...given, sha256: { [here]: given.sha256['linux-amd64']! } },
      });
    try {
      const program = await find(releases);
      expect(program).toMatchObject({ version: '9.9.9', origin: expect.stringMatching(/^from http/) });
      expect(await find(releases)).toEqual({ ...program, origin: 'from the tool cache' });
      // Once it is on PATH, nothing is asked of anybody.
      expect((await find(releases, dirname(program.file))).origin).toBe(program.file);
      expect(asked).toHaveLength(1);

      rmSync(join(folder, 'tools'), { recursive: true });
      const wrong = { ...releases, sha256: { 'linux-amd64': 'ab'.repeat(32) } };
      await expect(find(wrong)).rejects.toThrow(
        /not on PATH[^]*another checksum[^]*apt-get is not used[^]*What to do, one of:[^]*NATS_URL=/,
      );
    } finally {
      await children.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});

it('a checksum is recorded for each platform that we name', () => {
  const { version, archive, sha256 } = readReleases();
  expect(Object.keys(sha256).sort()).toEqual(['darwin-amd64', 'darwin-arm64', 'linux-amd64', 'linux-arm64']);
  for (const sum of Object.values(sha256)) expect(sum).toMatch(/^[0-9a-f]{64}$/);
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(archive.match(/\{version\}|\{platform\}/g)).toEqual(['{version}', '{version}', '{platform}']);
});
