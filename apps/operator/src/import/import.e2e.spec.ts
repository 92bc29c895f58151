import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type House, type HouseAccount, startHouse } from '@carillon/testkit';

const folder = mkdtempSync(join(tmpdir(), 'carillon-import-'));
let house: House;
let ann: HouseAccount;
let bob: HouseAccount;
let teamId: string;
beforeAll(async () => {
  house = await startHouse({ limits: 'off', readyWithinMs: 240_000 });
  [ann, bob] = [await house.anotherAccount('Ann'), await house.anotherAccount('Bob')];
  teamId = await house.workplaceTeam(ann);
  await ann.takeInto(teamId, bob);
}, 300_000);
afterAll(async () => {
  await house?.close();
  rmSync(folder, { recursive: true, force: true });
}, 90_000);

/** The recorded export with the addresses of this house. */
function exported(product: string): string {
  const text = readFileSync(join(import.meta.dirname, 'recorded', `${product}.json`), 'utf8');
  const file = join(folder, `${product}.json`);
  writeFileSync(
    file,
    text.replaceAll('ann@example.test', ann.email).replaceAll('bob@example.test', bob.email),
  );
  return file;
}
const run = (from: string, file: string, ...more: readonly string[]) =>
  house.admin('import', `--from=${from}`, `--file=${file}`, `--team=${teamId}`, `--as=${ann.email}`, ...more);
async function imports(from: string, ...more: readonly string[]): Promise<any> {
  const { status, stdout, stderr } = await run(from, exported(from), ...more);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout);
}
const groups = async (): Promise<any[]> => (await ann.api('GET', `/teams/${teamId}/oncall`)).body.groups;
const outcomes = ({ imported }: any): string[][] => imported.map(({ name, outcome }: any) => [name, outcome]);

describe('an import from Opsgenie', () => {
  it('that is a dry run says what it would do, and does nothing', async () => {
    const said = await imports('opsgenie', '--dry-run');
    expect(outcomes(said)).toEqual([
      ['Web', 'would be created'],
      ['Mixed: Days', 'would be created'],
    ]);
    expect(said.imported[0].coverage).toEqual({ before: null, after: { gaps: [], overlaps: [] } });
    expect(said.unfit).toContain('rotation "Mixed: Office": it is restricted to some hours');
    expect(await groups()).toEqual([]);
  });

  it('creates groups whose people are on call as they were', async () => {
    const said = await imports('opsgenie');
    expect(outcomes(said)).toEqual([
      ['Web', 'created'],
      ['Mixed: Days', 'created'],
    ]);
    expect(said.imported[0].coverage.after).toEqual({ gaps: [], overlaps: [] });
    const web = (await groups()).find(({ name }) => name === 'Web');
    expect(web).toMatchObject({
      rotation: {
        members: [{ userId: ann.id }, { userId: bob.id }],
        period: 'weekly',
        handoffAt: '09:00',
        timezone: 'Europe/Berlin',
        startsAt: '2026-03-23T08:00:00.000Z',
      },
      escalation: [
        { afterMinutes: 5, target: 'next' },
        { afterMinutes: 55, target: 'group' },
      ],
    });
    expect(said.imported[0].onCall).toBe(web.current.person.name);
  });

  it('changes nothing the second time, also where a group has been changed since', async () => {
    const before = await groups();
    expect(outcomes(await imports('opsgenie'))).toEqual([
      ['Web', 'exists'],
      ['Mixed: Days', 'exists'],
    ]);
    expect(await groups()).toEqual(before);
    const { id } = before.find(({ name }) => name === 'Web');
    await ann.api('PATCH', `/oncall/${id}`, { body: { name: 'web', escalation: [] } });
    const changed = await groups();
    expect(outcomes(await imports('opsgenie'))).toContainEqual(['Web', 'differs']);
    expect(await groups()).toEqual(changed);
  });
});

describe('an import', () => {
  it('from Grafana OnCall leaves out a rotation with somebody who has no account, and says who', async () => {
    const { imported } = await imports('oncall');
    expect(imported).toMatchObject([
      { name: 'Nights', outcome: 'not imported', why: 'cem@example.test has no account' },
      { name: 'Development', outcome: 'created' },
    ]);
  });

  it('from GoAlert goes on once somebody has joined the team', async () => {
    const stranger = await house.anotherAccount('Cem');
    const file = join(folder, 'joining.json');
    const text = readFileSync(exported('goalert'), 'utf8').replaceAll(bob.email, stranger.email);
    writeFileSync(file, text);
    const first = await run('goalert', file);
    expect(JSON.parse(first.stdout).imported).toMatchObject([
      { name: 'Ops', outcome: 'not imported', why: `${stranger.email} is no member of the team` },
    ]);
    await ann.takeInto(teamId, stranger);
    const second = await run('goalert', file);
    expect(outcomes(JSON.parse(second.stdout))).toEqual([['Ops', 'created']]);
  });

  it.each([
    ['a file that is not there', () => run('oncall', join(folder, 'none.json')), /no such file/],
    [
      'a file that is no export',
      () => run('oncall', import.meta.filename),
      /^Not done: the file holds no JSON\n$/,
    ],
    [
      'an unknown product',
      () => run('pagerduty', exported('oncall')),
      /--from is one of oncall, opsgenie, goalert/,
    ],
    [
      'somebody who may not',
      () => {
        const [file, team] = [exported('oncall'), `--team=${teamId}`];
        return house.admin('import', '--from=oncall', `--file=${file}`, team, '--as=nobody@example.test');
      },
      /^Not done: .+\n$/,
    ],
  ])('of %s ends with one sentence', async (_, running, sentence) => {
    const { status, stdout, stderr } = await running();
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([status, stdout]).toEqual([1, '']);
  });
});
