import { serviceNames } from '@carillon/contracts';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const entrypoint = join(root, 'deploy/entrypoint.mjs');

interface Entrypoint {
  readonly programs: Readonly<Record<string, string>>;
  readonly services: readonly string[];
}

const { programs, services } = (await import(entrypoint)) as Entrypoint;

describe('the image', () => {
  const dockerfile = read('deploy/Dockerfile');

  it('starts each service by its name, and each program from a file that is built into it', () => {
    expect([...services].sort()).toEqual([...serviceNames].sort());
    const isThere = (file: string): boolean =>
      /^dist\/.*\.js$/.test(file) &&
      existsSync(join(root, file.replace(/^dist\//, '').replace(/\.js$/, '.ts')));
    expect(Object.entries(programs).filter(([, file]) => !isThere(file))).toEqual([]);
  });

  it('has nothing of what builds it, and for services nothing of what stands beside them', () => {
    const copiedTo = (stage: string): string[] => {
      const [, text = ''] =
        new RegExp(`^FROM \\S+ AS ${stage}\n([\\s\\S]*?)(?=^FROM |$(?![\\s\\S]))`, 'm').exec(dockerfile) ??
        [];
      return [...text.matchAll(/^COPY (.+)$/gm)].map(([, what = '']) => what);
    };
    expect(copiedTo('runtime')).toEqual([
      'package.json nx.json LICENSE ./',
      'deploy/entrypoint.mjs deploy/healthcheck.mjs deploy/probe.mjs deploy/',
    ]);
    expect(copiedTo('service')).toEqual([
      '--from=service-modules /app/node_modules node_modules',
      '--from=service-build /app/dist dist',
    ]);
    expect(copiedTo('standalone')).toEqual([
      '--from=nats /nats-server /usr/local/bin/nats-server',
      '--from=modules /app/node_modules node_modules',
      '--from=build /app/dist dist',
    ]);
  });

  it('has the pages of the documentation, which are made when it is built', () => {
    expect(dockerfile).toMatch(/^COPY docs docs\nRUN node tools\/build\.mjs$/m);
    expect(dockerfile).not.toMatch(/rm .*dist\/docs/);
  });

  it('copies nothing that is left out of its context', () => {
    const admitted: readonly string[] = read('.dockerignore').match(/(?<=^!).+$/gm) ?? [];
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    );
    expect(sources).toContain('package.json');
    expect(sources.filter((file) => !admitted.includes(file))).toEqual([]);
  });

  it('names what there is when it is asked or given a name that it does not have', () => {
    const image = mkdtempSync(join(tmpdir(), 'carillon-image-'));
    const files = ['deploy/entrypoint.mjs', 'package.json'];
    for (const file of files) cpSync(join(root, file), join(image, file));
    for (const file of Object.values(programs)) {
      mkdirSync(dirname(join(image, file)), { recursive: true });
      writeFileSync(join(image, file), '');
    }
    const run = (...argv: string[]) =>
      spawnSync(process.execPath, [join(image, 'deploy/entrypoint.mjs'), ...argv], {
        encoding: 'utf8',
        env: {},
      });
    const [help, wrong] = [run('--help'), run('constructor')];
    expect([help.status, wrong.status]).toEqual([0, 2]);
    for (const name of Object.keys(programs)) expect(help.stdout).toContain(name);
    expect(wrong.stderr).toContain('names no program');
    rmSync(join(image, programs['push-simulator'] ?? ''));
    expect(run('--help').stdout).not.toContain('push-simulator');
    expect(run('push-simulator')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('names no program'),
    });
    rmSync(image, { recursive: true });
  });

  it('stands on pinned versions: of Node, and of the nats-server that a standalone downloads elsewhere', () => {
    const images = [...dockerfile.matchAll(/^ARG \w+_IMAGE=(.+)$/gm)].map(([, image]) => image);
    const { version } = JSON.parse(read('apps/standalone/src/nats-releases.json')) as { version: string };
    expect(images).toEqual([expect.stringMatching(/^node:26\.\d+\.\d+-\w+-slim$/), `nats:${version}`]);
    expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from)).toEqual(
      expect.arrayContaining(['${NODE_IMAGE}', '${NATS_IMAGE}']),
    );
    expect(dockerfile).toContain(`ARG VERSION=${JSON.parse(read('package.json')).version}\n`);
  });

  it('runs as nobody in particular, says whether it is well, and hears SIGTERM itself', () => {
    expect(dockerfile.match(/^USER 1000:1000$/gm)).toHaveLength(2);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD \["node", "deploy\/healthcheck\.mjs"\]$/m);
    // As a list of words there is no shell in between, which would keep the signal to itself.
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", "deploy\/entrypoint\.mjs"\]$/m);
    for (const stage of dockerfile.split(/^FROM /m).filter((each) => each.includes('USER ')))
      expect(stage.lastIndexOf('RUN ')).toBeLessThan(stage.indexOf('USER '));
  });
});
