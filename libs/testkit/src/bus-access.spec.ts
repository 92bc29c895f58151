import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { busAccessFile, natsAccounts, natsPasswords, readBusAccess } from './bus-access';

const root = join(import.meta.dirname, '../../..');
const access = readBusAccess(root);
const of = (user: string) => access.find((each) => each.user === user)!;

describe('the rights of users of the bus', () => {
  it('stands in its file as the code says it (else: node tools/bus-access.mjs)', () =>
    expect(readFileSync(join(root, busAccessFile), 'utf8')).toBe(natsAccounts(access)));

  it('is everything that a program asks, under whatever name it has the contracts, and what its libs ask', () => {
    expect(of('gateway').asks.length).toBeGreaterThan(80);
    // asked as `Questions.memberships`
    expect(of('connectors').asks).toContain('rpc.teams.member.memberships');
    // asked by `Audience` of push-client
    expect(of('notifications').asks).toContain('rpc.push.device.targets');
    // asked by `Ask`
    expect(of('operator').asks).toContain('rpc.teams.team.found');
    // asked by `operationsOf`
    expect(of('operator').asks).toContain('rpc.push.key.list');
  });

  it('is no question that only the operator may ask, for anybody else', () => {
    const asking = access.filter(({ asks }) => asks.includes('rpc.teams.team.found'));
    expect(asking.map(({ user }) => user)).toEqual(['operator']);
  });

  it('lets one service write the published events, and the gateway answer nothing', () => {
    expect(access.filter(({ publishes }) => publishes).map(({ user }) => user)).toEqual(['read-models']);
    expect(of('gateway').answers).toBe(false);
  });

  it('keeps the passwords elsewhere', () => {
    expect(natsAccounts(access)).toContain('user: "read-models", password: $READ_MODELS_PASSWORD');
    expect(natsPasswords({ 'read-models': 'a "b"' })).toBe('READ_MODELS_PASSWORD: "a \\"b\\""\n');
  });
});
