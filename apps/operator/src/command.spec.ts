import { type Commands, offline, online, readCommand, usageOf } from './command';
import { BadUsage } from './command-line';
import { commands } from './commands';
import type { Ask } from './operator';

const ask: Ask = () => Promise.reject(new Error('nobody is asked here'));
const some: Commands = {
  'team create': online(['name', 'owner'], async (_, { name, owner }) => [name, owner]),
  'accounts list': online([], async (_, { email }) => email ?? 'all', ['email']),
  'keys add': offline(['file'], ({ file }) => file),
};

describe('a command line of admin', () => {
  it('gives the command with its values', async () => {
    const work = readCommand(['team', 'create', '--name=Acme', '--owner', 'ada@example.test'], some);
    expect(work.kind === 'online' && (await work.run(ask))).toEqual(['Acme', 'ada@example.test']);
    const list = (...args: string[]) => {
      const found = readCommand(['accounts', 'list', ...args], some);
      return found.kind === 'online' && found.run(ask);
    };
    expect(await list()).toBe('all');
    expect(await list('--email=a@example.test')).toBe('a@example.test');
    const add = readCommand(['keys', 'add', '--file=ring'], some);
    expect(add.kind === 'offline' && add.run()).toBe('ring');
  });

  it.each([
    ['nothing', []],
    ['a noun alone', ['team']],
    ['an unknown verb', ['team', 'found', '--name=Acme', '--owner=a@example.test']],
    ['the name of what every object has', ['constructor', '']],
    ['a missing value', ['team', 'create', '--name=Acme']],
    ['an unknown option', ['accounts', 'list', '--id=usr_1']],
    ['a word too many', ['accounts', 'list', 'all']],
  ])('is wrong with %s', (_, args) => expect(() => readCommand(args, some)).toThrow(BadUsage));

  it('is explained by the usage', () =>
    expect(usageOf(some)).toBe(
      [
        'usage:',
        '  node tools/admin.mjs team create --name=… --owner=…',
        '  node tools/admin.mjs accounts list [--email=…]',
        '  node tools/admin.mjs keys add --file=…',
      ].join('\n'),
    ));

  it('changes key rings without any service', () => {
    const kinds = ['add', 'use'].map((verb) => readCommand(['keys', verb, '--file=ring'], commands).kind);
    expect(kinds).toEqual(['offline', 'offline']);
  });
});
