import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { eventsLimits } from './events';
import { keepDays } from './keep';
import { numberSetting, portRange, setting, settingOf } from './settings';

const root = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('a setting', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-settings-'));
  const file = join(folder, 'secret');
  afterAll(() => rmSync(folder, { recursive: true }));
  const of = (env: NodeJS.ProcessEnv) => settingOf('THING', env);

  it('is the variable, or what is in the file that NAME_FILE names', () => {
    writeFileSync(file, 'from a file\n');
    expect(of({ THING: 'a' })).toBe('a');
    expect(of({ THING_FILE: file })).toBe('from a file');
    expect(of({ THING: 'a', THING_FILE: file })).toBe('a');
    expect(of({ THING: '', THING_FILE: file })).toBe('from a file');
  });

  it('that is empty counts as none', () => {
    writeFileSync(file, '\n');
    expect([of({}), of({ THING: '' }), of({ THING_FILE: '' }), of({ THING_FILE: file })]).toEqual(
      Array(4).fill(undefined),
    );
    expect(setting('CARILLON_NO_SUCH', 'otherwise')).toBe('otherwise');
    expect(() => setting('CARILLON_NO_SUCH')).toThrow('The setting CARILLON_NO_SUCH is missing');
  });

  it('whose file is not there is told by its name', () =>
    expect(() => of({ THING_FILE: join(folder, 'none') })).toThrow(/THING_FILE/));

  it.each(['many', '-1', '0', '1.5', 'NaN', '1e10', '8081'])(
    'that is a number in a range refuses %s',
    (text) => {
      process.env['CARILLON_NO_SUCH'] = text;
      expect(() => numberSetting('CARILLON_NO_SUCH', 1, { max: 8_080 })).toThrow(
        `The setting CARILLON_NO_SUCH must be a whole number from 1 to 8080, not "${text}"`,
      );
      delete process.env['CARILLON_NO_SUCH'];
    },
  );

  it('that is a number may be the least and the greatest of its range', () => {
    const at = (text: string) => {
      process.env['CARILLON_NO_SUCH'] = text;
      return numberSetting('CARILLON_NO_SUCH', 5, portRange);
    };
    expect([at('0'), at('65535'), at('')]).toEqual([0, 65_535, 5]);
    delete process.env['CARILLON_NO_SUCH'];
  });

  it.each(['0', '3651', '-1', '1.5', 'month'])(
    'that is out of its range says which it is: %s days',
    (days) => {
      process.env['CARILLON_EVENTS_DAYS'] = days;
      expect(eventsLimits).toThrow(
        `The setting CARILLON_EVENTS_DAYS must be a whole number from 1 to 3650, not "${days}"`,
      );
      delete process.env['CARILLON_EVENTS_DAYS'];
      expect(eventsLimits()).toEqual({ days: 30, mebibytes: 1024, replicas: 1 });
    },
  );
});

describe('the days that rows are kept', () => {
  const days = (text: string): number => {
    process.env['CARILLON_KEEP_DAYS'] = text;
    try {
      return keepDays();
    } finally {
      delete process.env['CARILLON_KEEP_DAYS'];
    }
  };

  it('are 90, for ever, or longer than a prompt lives', () =>
    expect(['', '0', '8', '3650'].map(days)).toEqual([90, 0, 8, 3_650]));
  it.each(['1', '7'])('are not %s', (text) =>
    expect(() => days(text)).toThrow(
      `The setting CARILLON_KEEP_DAYS must be 0, or at least 8, not "${text}"`,
    ),
  );
});

describe('the settings of the house', () => {
  const files = ['apps', 'libs']
    .flatMap((top) => readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => /\/src\//.test(file) && !/\.spec\.ts$|^libs\/testkit\//.test(file));
  // These two stand alone, and have a table of their own in their READMEs or `--help`.
  const ours = files.filter((file) => !/^apps\/(event-store-emulator|push-simulator)\//.test(file));

  /** Reading a variable past `settingOf` would make `NAME_FILE` untrue for it. */
  const others = [
    // a program for other machines, with settings of its own
    'apps/cli/src/main.ts',
    // PATH
    'apps/cli/src/testbed.ts',
    'apps/standalone/src/executable.ts',
    // what it gives on: to its parts, to the services in its own process, to `readOptions`
    'apps/standalone/src/child.ts',
    'apps/standalone/src/cluster/cluster.ts',
    'apps/standalone/src/main.ts',
    // writes the settings of the standalone, and a level of the log
    'apps/operator/src/installation.ts',
    'apps/operator/src/rebuild.ts',
    // for the child that deletes accounts again
    'apps/standalone/src/deletions.ts',
    // the proxies, for apt
    'apps/standalone/src/nats.ts',
    // where the simulator, which stands alone, records what it received
    'apps/standalone/src/push-providers.ts',
    'apps/standalone/src/standalone.ts',
  ];

  it('are read by one function, so that NAME_FILE works for each', () =>
    expect(ours.filter((file) => /process\.env\b/.test(read(file))).sort()).toEqual(
      [...others, 'libs/settings/src/settings.ts'].sort(),
    ));

  const callsIn = (files: readonly string[]) =>
    files.flatMap((file) => [
      ...read(file).matchAll(
        /\b(?:setting|settingOf|numberSetting|isSet|secret|from)\(\s*'([A-Z][A-Z\d_]+)'(?:, ('[^']*'|[\d_.]+))?/g,
      ),
    ]);
  // It runs elsewhere, and tells its settings itself.
  const isProgram = (file: string): boolean => file.startsWith('apps/connector-gateway/');
  const calls = callsIn(ours.filter((file) => !isProgram(file)));
  const namesOfProgram = callsIn(ours.filter(isProgram)).map(([, name]) => name!);
  /** Also those that stand in a constant first. */
  const constants = ours.flatMap(
    (file) => read(file).match(/(?<=const \w+ = ')CARILLON_[A-Z\d_]+(?=';)/g) ?? [],
  );
  const names = [...new Set([...calls.map(([, name]) => name!), ...constants])]
    .filter((name) => name !== 'NODE_ENV')
    .sort();

  it('are more than forty, so that the next two see them', () => expect(names.length).toBeGreaterThan(40));

  const missing = (page: string, wanted: readonly string[]): string[] =>
    wanted.filter((name) => !new RegExp(`\\b${name}(_FILE)?\\b`).test(read(page)));

  it.each(['docs/settings.md', 'apps/standalone/src/help.txt'])('are all in %s', (page) =>
    expect(missing(page, names)).toEqual([]),
  );

  it.each(['docs/settings.md', 'apps/connector-gateway/src/help.txt'])(
    'are all in %s, those of the connector gateway',
    (page) => {
      expect(namesOfProgram.length).toBeGreaterThan(6);
      expect(missing(page, namesOfProgram)).toEqual([]);
    },
  );

  it.each(['docs/settings.md', 'apps/standalone/src/help.txt'])(
    'are not more than there are, in %s',
    (page) => {
      const told =
        read(page).match(/\b(?:CARILLON|NATS|APNS|FCM|LOG|EVENTSTORE|DATABASE|SIGNUP)_[A-Z_]+\b/g) ?? [];
      // Of each service.
      const files = [...names.map((name) => `${name}_FILE`), 'DATABASE_URL_', 'DATABASE_URL_READ_MODELS'];
      expect(told.filter((name) => ![...names, ...namesOfProgram, ...files].includes(name))).toEqual([]);
    },
  );

  it('have the defaults that the documents name', () => {
    const [table, help] = [read('docs/settings.md'), read('apps/standalone/src/help.txt')];
    const wrong = calls
      .filter(([, name, fallback]) => /^CARILLON_/.test(name!) && /^\d/.test(fallback ?? ''))
      .filter(
        ([, name, fallback]) =>
          !new RegExp(`\`${name}\` +\\| ${fallback} +\\|`).test(table) ||
          !help.includes(`${name} (${fallback})`),
      );
    expect(wrong.map(([call]) => call)).toEqual([]);
  });
});
