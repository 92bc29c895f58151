import { resolve } from 'node:path';
import { auditOptions } from './audit-options';
import { backupOptions, restoreOptions } from './backup-options';
import { BadUsage } from './command-line';
import { rebuildOptions } from './rebuild-options';
import { recoverOptions } from './recover-options';
import { secretsOptions } from './secrets-options';

describe('the command line of backup and restore', () => {
  it('puts the keys beside the log, unless they are named', () => {
    expect(backupOptions(['--out=/b/monday'])).toEqual({ out: '/b/monday', keys: '/b/monday.keys.json' });
    expect(backupOptions(['--out=monday', '--keys=/k/keys'])).toEqual({
      out: resolve('monday'),
      keys: '/k/keys',
    });
    expect(restoreOptions(['--in=/b/monday', '--data=/d'])).toEqual({
      file: '/b/monday',
      keys: '/b/monday.keys.json',
      data: '/d',
      deleted: '/b/deleted-accounts',
    });
  });

  it('goes without the list of deleted accounts only when that is said', () => {
    const deleted = (...more: string[]) => restoreOptions(['--in=/b/m', '--data=/d', ...more]).deleted;
    expect(deleted('--deleted=none')).toBeUndefined();
    expect(deleted('--deleted=/l/list')).toBe('/l/list');
  });

  it('is wrong without a file or a folder', () => {
    expect(() => backupOptions(['--keys=/k'])).toThrow(BadUsage);
    expect(() => restoreOptions(['--in=/b/monday'])).toThrow(BadUsage);
    expect(() => restoreOptions(['--in=/b/monday', '--data=/d', '--force'])).toThrow(
      "Unknown option '--force'",
    );
  });
});

describe('the command line of rebuild', () => {
  it('names one projection of one service, or all', () => {
    expect(rebuildOptions(['read-models', 'inbox'])).toEqual({ service: 'read-models', projection: 'inbox' });
    expect(rebuildOptions(['--all'])).toBe('all');
  });

  it.each([[[]], [['read-models']], [['read-models', 'inbox', 'feed']], [['--all', 'read-models', 'inbox']]])(
    'is wrong with %j',
    (args) => expect(() => rebuildOptions(args)).toThrow(BadUsage),
  );

  it('names the services to who asks for another', () =>
    expect(() => rebuildOptions(['inbox', 'read-models'])).toThrow(/"inbox" is no service.*read-models/));
});

describe('the command line of recover', () => {
  it('names one delivery, or those since a time', () => {
    expect(recoverOptions(['--webhook=whk_1', '--delivery=whd_1'])).toEqual({
      id: 'whk_1',
      deliveryId: 'whd_1',
    });
    expect(recoverOptions(['--webhook=whk_1', '--since=2026-11-20T10:00:00+01:00'])).toEqual({
      id: 'whk_1',
      since: '2026-11-20T09:00:00.000Z',
    });
  });

  it.each([
    [['--webhook=whk_1']],
    [['--delivery=whd_1']],
    [['--webhook=whk_1', '--delivery=whd_1', '--since=2026-11-20T09:00:00Z']],
    [['--webhook=whk_1', '--since=yesterday']],
  ])('is wrong with %j', (args) => expect(() => recoverOptions(args)).toThrow(BadUsage));
});

describe('the command line of audit', () => {
  it('names the pages of one export in their order', () =>
    expect(auditOptions(['verify', 'one', 'two', '--filtered'])).toEqual({
      files: ['one', 'two'],
      filtered: true,
    }));

  it.each([[[]], [['verify']], [['show', 'one']]])('is wrong with %j', (args) =>
    expect(() => auditOptions(args)).toThrow(BadUsage),
  );
});

describe('the command line of secrets', () => {
  it('names a new folder, and the parts as compose does', () => {
    const given = {
      folder: '/s',
      natsNames: ['nats'],
      postgres: 'postgres:5432',
      eventStore: 'event-store:2113?tls=false',
    };
    expect(secretsOptions(['--out=/s'])).toEqual(given);
    expect(secretsOptions(['--out=/s', '--nats=nats, *.nats', '--simulator=sim'])).toEqual({
      ...given,
      natsNames: ['nats', '*.nats'],
      simulator: 'sim',
    });
    expect(() => secretsOptions([])).toThrow(BadUsage);
  });
});
