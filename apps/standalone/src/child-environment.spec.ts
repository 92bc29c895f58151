import { ordinaryOf, proxiesOf } from './child-environment';

const env = {
  PATH: '/bin',
  HOME: '/root',
  LC_ALL: 'C',
  CARILLON_KEYS: 'k1:secret',
  CARILLON_PEPPER: 'secret',
  DATABASE_URL: 'postgres://carillon:secret@127.0.0.1/carillon',
  APNS_KEY: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  https_proxy: 'http://me:secret@proxy.example.test',
};

describe('the environment of a part', () => {
  it('has what every program needs, and nothing of the installation or of its operator', () =>
    expect(ordinaryOf(env)).toEqual({ PATH: '/bin', HOME: '/root', LC_ALL: 'C' }));

  it('has the proxy where something is downloaded', () =>
    expect(proxiesOf(env)).toEqual({ https_proxy: env.https_proxy }));
});
