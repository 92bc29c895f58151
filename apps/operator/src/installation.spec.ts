import { serviceNames } from '@carillon/contracts';
import { databaseSetting } from '@carillon/settings';
import { standaloneSettings } from './installation';

const addresses = {
  baseUrl: 'http://127.0.0.1:8080',
  databaseUrl: 'postgres://here',
  eventStoreUrl: 'esdb://here',
  natsUrl: 'nats://here',
};
const keys = { pepper: 'p', keys: 'k1:k', callerKey: 'c', auditKey: 'a', email: 'owner@example.test' };
const databases = (of: Record<string, string> = {}) =>
  Object.fromEntries(serviceNames.map((name) => [databaseSetting(name), of[name] ?? 'postgres://here']));
const none = (): boolean => false;

describe('the settings of a program that belongs to a standalone', () => {
  it('are its addresses and its keys', () =>
    expect(standaloneSettings(addresses, keys, none)).toEqual({
      DATABASE_URL: 'postgres://here',
      ...databases(),
      NATS_URL: 'nats://here',
      EVENTSTORE_URL: 'esdb://here',
      CARILLON_BASE_URL: 'http://127.0.0.1:8080',
      CARILLON_PEPPER: 'p',
      CARILLON_KEYS: 'k1:k',
      CARILLON_CALLER_KEY: 'c',
      CARILLON_AUDIT_KEY: 'a',
    }));

  it('are the databases of each service, in a cluster', () => {
    const own = { push: 'postgres://push@here', 'read-models': 'postgres://read_models@here' };
    const settings = standaloneSettings({ ...addresses, databaseUrls: own }, keys, none);
    expect(settings).toMatchObject(databases(own));
    expect(settings).toMatchObject({ DATABASE_URL_READ_MODELS: 'postgres://read_models@here' });
  });

  it('have no address that it does not have, and the authority of a closed bus', () => {
    const closed = { ...addresses, baseUrl: null, natsCaFile: '/nats/ca.pem' };
    const settings = standaloneSettings(closed, keys, none);
    expect(settings).toMatchObject({ NATS_CA_FILE: '/nats/ca.pem' });
    expect(settings).not.toHaveProperty('CARILLON_BASE_URL');
  });

  it('take a key that the environment gives, which the standalone was started with, and no address', () => {
    const given = standaloneSettings(addresses, keys, (name) => ['CARILLON_KEYS', 'NATS_URL'].includes(name));
    expect(given).not.toHaveProperty('CARILLON_KEYS');
    expect(given).toMatchObject({ NATS_URL: 'nats://here', CARILLON_PEPPER: 'p' });
  });
});
