import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const setup = join(import.meta.dirname, '../../../tools/setup.mjs');
const lock = {
  packages: {
    '': {},
    'node_modules/needed': { version: '1.0.0', integrity: 'a' },
    'node_modules/compiler': { version: '1.0.0', integrity: 'b', dev: true },
    'node_modules/of-another-platform': { version: '1.0.0', integrity: 'c', optional: true },
  },
};

let checkout: string;
const modules = () => join(checkout, 'node_modules');
const stamp = () => join(modules(), '.carillon-lock');

/** A checkout in which npm is a program that notes how it was called, and "installs" what it is told to. */
beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), 'carillon-setup-')));
  for (const folder of ['bin', 'tools']) mkdirSync(join(checkout, folder));
  cpSync(setup, join(checkout, 'tools/setup.mjs'));
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(
    join(checkout, 'bin/npm'),
    `#!${process.execPath}
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const [names, settings] = [Object.keys(process.env), process.env];
appendFileSync('calls', JSON.stringify({ args: process.argv.slice(2), names }) + '\\n');
for (const name of settings.INSTALLS.split(' ')) {
  mkdirSync('node_modules/' + name, { recursive: true });
  writeFileSync('node_modules/' + name + '/package.json', '{}');
}
`,
    { mode: 0o755 },
  );
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

interface Call {
  readonly args: readonly string[];
  readonly names: readonly string[];
}

function install(env: Record<string, string> = {}) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      "await (await import('./tools/setup.mjs')).installDependencies(); process.exit(0)",
    ],
    {
      cwd: checkout,
      encoding: 'utf8',
      env: {
        PATH: `${join(checkout, 'bin')}${delimiter}${process.env['PATH']}`,
        INSTALLS: 'needed compiler',
        ...env,
      },
    },
  );
  const file = join(checkout, 'calls');
  const calls = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Call)
    : [];
  return { status, stderr, calls };
}

describe('a first start', () => {
  it('installs what the lock file says, whatever the environment leaves out', () => {
    const { status, calls } = install({
      NODE_ENV: 'production',
      npm_config_omit: 'dev',
      NPM_CONFIG_PRODUCTION: 'true',
      'npm_config_package-lock': 'false',
      npm_config_prefix: '/somewhere',
      npm_config_registry: 'https://registry.example.test/',
      HTTPS_PROXY: 'http://proxy.example.test',
    });
    expect(status).toBe(0);
    expect(calls).toHaveLength(1);
    expect(calls[0]!.args).toEqual(expect.arrayContaining(['ci', '--include=dev', '--include=optional']));
    expect(calls[0]!.names.filter((name) => /^(npm_config|NODE_ENV)/i.test(name))).toEqual([
      'npm_config_registry',
    ]);
    expect(calls[0]!.names).toContain('HTTPS_PROXY');
    expect(existsSync(stamp())).toBe(true);
  });

  it('does not count as installed what npm has left out', () => {
    const { status, stderr } = install({ INSTALLS: 'needed' });
    expect(status).toBe(1);
    expect(stderr).toContain('node_modules/compiler');
    expect(existsSync(stamp())).toBe(false);
  });
});

describe('a later start', () => {
  it('installs nothing', () => {
    install();
    expect(install().calls).toHaveLength(1);
  });

  it('installs again when a package is missing', () => {
    install();
    rmSync(join(modules(), 'compiler'), { recursive: true });
    const { status, calls } = install();
    expect([status, calls.length]).toEqual([0, 2]);
    expect(existsSync(join(modules(), 'compiler'))).toBe(true);
  });

  it('installs again when the lock file is another', () => {
    install();
    writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify({ ...lock, version: '0.2.0' }));
    expect(install().calls).toHaveLength(2);
  });

  it('takes what npm itself has installed for installed', () => {
    install();
    rmSync(stamp());
    const record = { packages: lock.packages };
    writeFileSync(join(modules(), '.package-lock.json'), JSON.stringify(record));
    expect(install().calls).toHaveLength(1);
    expect(existsSync(stamp())).toBe(true);
  });
});
