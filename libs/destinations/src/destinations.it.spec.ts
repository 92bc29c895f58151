import { type NameServer, startNames } from '@carillon/testkit';
import { Destinations, isNotAllowed, NameNotFound, pinnedTo } from './destinations';

let names: NameServer;
let before: NodeJS.ProcessEnv;
beforeAll(async () => {
  before = { ...process.env };
  names = await startNames({
    'hooks.test': ['93.184.216.34', '2606:2800:220:1::1'],
    'four.test': ['93.184.216.34'],
    'six.test': ['2606:2800:220:1::1'],
    'inside.test': ['10.0.0.7'],
    'inside6.test': ['fd00::7'],
    'half.test': ['93.184.216.34', '10.0.0.7'],
    'half6.test': ['93.184.216.34', '::1'],
    'mapped.test': ['::ffff:10.0.0.7'],
    'empty.test': [],
    'broken.test': 'failure',
    'silent.test': 'silence',
  });
});
afterAll(async () => {
  process.env = before;
  await names?.stop();
});

const guard = (ranges = '') => {
  process.env['CARILLON_WEBHOOK_ALLOW_CIDRS'] = ranges;
  process.env['CARILLON_WEBHOOK_DNS'] = names.address;
  return new Destinations();
};
const refusal = (url: string, ranges = '') =>
  guard(ranges)
    .find(url)
    .then(
      () => 'found',
      (error: unknown) =>
        isNotAllowed(error) ? 'not allowed' : error instanceof NameNotFound ? 'no name' : error,
    );

describe('a name', () => {
  it('leads to all its addresses', async () => {
    expect(await guard().find('https://hooks.test:8443/x')).toEqual({
      host: 'hooks.test',
      port: 8443,
      addresses: [
        { address: '93.184.216.34', family: 4 },
        { address: '2606:2800:220:1::1', family: 6 },
      ],
    });
  });
  it.each([
    ['https://four.test/', 'found'],
    ['https://six.test/', 'found'],
    ['https://four.test./', 'found'],
    ['https://inside.test/', 'not allowed'],
    ['https://inside6.test/', 'not allowed'],
    ['https://half.test/', 'not allowed'],
    ['https://half6.test/', 'not allowed'],
    ['https://mapped.test/', 'not allowed'],
    ['https://empty.test/', 'no name'],
    ['https://broken.test/', 'no name'],
    ['https://silent.test/', 'no name'],
    ['https://nobody.test/', 'no name'],
    ['https://localhost/', 'not allowed'],
    ['https://127.1/', 'not allowed'],
    ['https://hooks.test:5432/', 'not allowed'],
  ])('%s is %s', async (url, outcome) => expect(await refusal(url)).toBe(outcome));

  it('is judged by where it leads now', async () => {
    names.says('moving.test', ['93.184.216.34']);
    expect(await refusal('https://moving.test/')).toBe('found');
    names.says('moving.test', ['127.0.0.1']);
    expect(await refusal('https://moving.test/')).toBe('not allowed');
  });

  it('may lead where the operator allows it', async () => {
    expect(await refusal('https://inside.test/', '10.0.0.0/8')).toBe('found');
    expect(await refusal('https://half.test/', '10.0.0.0/8')).toBe('found');
    expect(await refusal('https://inside6.test/', '10.0.0.0/8')).toBe('not allowed');
    expect(await refusal('https://localhost/', '127.0.0.0/8')).toBe('found');
  });

  it('is not asked for when it is none', async () => {
    const count = names.asked.length;
    for (const url of ['https://127.0.0.1/', 'https://localhost/', 'https://[::1]/', 'https://a..test/'])
      await refusal(url);
    expect(names.asked).toHaveLength(count);
  });

  it('that nobody knows yet may be saved', async () => {
    await guard().check('https://nobody.test/');
    await guard().check('https://silent.test/');
    await expect(guard().check('https://inside.test/')).rejects.toThrow('destination.not_allowed');
  });
});

it('a connection goes to the checked addresses whatever it asks for', async () => {
  const lookup = pinnedTo(await guard().find('https://hooks.test/'));
  const asked = (options: object) =>
    new Promise((resolve) => lookup('evil.test', options, (...answer) => resolve(answer)));
  expect(await asked({})).toEqual([null, '93.184.216.34', 4]);
  expect(await asked({ all: true })).toEqual([
    null,
    [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ],
  ]);
});

it('ranges that are written wrong keep the service from starting', () => {
  expect(() => guard('10.0.0.0/8, intranet')).toThrow('intranet');
});
