import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, makeAuthority, startNats } from '@carillon/testkit';
import { connect } from '@nats-io/transport-node';
import { createAccount, createOperator, createUser, type KeyPair } from '@nats-io/nkeys';
import { Bus, natsOptions } from './index';

process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');
const before = { ...process.env };
let stop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of stop.reverse()) await each();
  stop = [];
  process.env = { ...before };
});

const server = async (configuration: string) => {
  const nats = await startNats({ configuration });
  stop.push(() => nats.stop());
  return nats;
};

const works = async (url?: string): Promise<boolean> => {
  const bus = await Bus.open(url, 'test');
  stop.push(() => bus.close());
  return bus.alive();
};

describe('a server that requires a password', () => {
  it('accepts credentials from the URL or the settings, and no others', async () => {
    const { port } = await server('authorization { user: "ann", password: "p@ss:1" }');
    expect(await works(`nats://ann:p%40ss%3A1@127.0.0.1:${port}`)).toBe(true);
    Object.assign(process.env, {
      NATS_URL: `nats://127.0.0.1:${port}`,
      NATS_USER: 'ann',
      NATS_PASSWORD: 'p@ss:1',
    });
    expect(await works()).toBe(true);
    process.env['NATS_PASSWORD'] = 'wrong';
    await expect(works()).rejects.toThrow(/authorization/i);
  });

  it('accepts a token', async () => {
    const { port } = await server('authorization { token: "s3cret" }');
    expect(await works(`nats://s3cret@127.0.0.1:${port}`)).toBe(true);
    process.env['NATS_TOKEN'] = 's3cret';
    expect(await works(`nats://127.0.0.1:${port}`)).toBe(true);
  });

  it('accepts a credentials file', async () => {
    const { configuration, creds } = ofAnOperator();
    const { port } = await server(configuration);
    const folder = mkdtempSync(join(tmpdir(), 'carillon-creds-'));
    stop.push(async () => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'user.creds'), creds);
    process.env['NATS_CREDS_FILE'] = join(folder, 'user.creds');
    expect(await works(`nats://127.0.0.1:${port}`)).toBe(true);
    delete process.env['NATS_CREDS_FILE'];
    await expect(works(`nats://127.0.0.1:${port}`)).rejects.toThrow(/authorization/i);
  });
});

describe('a server with TLS', () => {
  it('is trusted by its CA only, and may require a client certificate', async () => {
    const authority = await makeAuthority();
    const folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'));
    stop.push(async () => {
      authority.remove();
      rmSync(folder, { recursive: true });
    });
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, authority.server.cert);
    writeFileSync(key, authority.server.key);
    const tls = `cert_file: "${cert}", key_file: "${key}", ca_file: "${authority.caFile}"`;
    const { port } = await server(`tls { ${tls} }`);
    await expect(works(`tls://localhost:${port}`)).rejects.toThrow(/certificate/i);
    process.env['NATS_CA_FILE'] = authority.caFile;
    expect(await works(`tls://localhost:${port}`)).toBe(true);

    const strict = await server(`tls { ${tls}, verify: true, timeout: 5 }`);
    await expect(works(`tls://localhost:${strict.port}`)).rejects.toThrow();
    Object.assign(process.env, { NATS_CERT_FILE: cert, NATS_KEY_FILE: key });
    expect(await works(`tls://localhost:${strict.port}`)).toBe(true);
  });

  it('is required if the URL says so: a password is never sent in the clear', async () => {
    const { port } = await server('');
    await expect(works(`tls://ann:secret@127.0.0.1:${port}`)).rejects.toThrow(/tls/i);
  });
});

it('a connection survives a password that is changed on the servers first', async () => {
  const first = await server('authorization { user: "ann", password: "old" }');
  const connection = await connect(natsOptions('test', `nats://ann:old@127.0.0.1:${first.port}`));
  stop.push(() => connection.close());
  await first.stop();
  const other = await startNats({
    port: first.port,
    configuration: 'authorization { user: "ann", password: "new" }',
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(connection.isClosed()).toBe(false);
  await other.stop();
  const again = await startNats({
    port: first.port,
    configuration: 'authorization { user: "ann", password: "old" }',
  });
  stop.push(() => again.stop());
  await eventually(
    () =>
      connection.flush().then(
        () => true,
        () => undefined,
      ),
    () => 'it did not come back',
    10_000,
  );
});

/** A server's configuration in operator mode, and a credentials file for it. */
function ofAnOperator(): { configuration: string; creds: string } {
  const [operator, account, user] = [createOperator(), createAccount(), createUser()];
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (issuer: KeyPair, subject: KeyPair, nats: object): string => {
    const body = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({
      jti: subject.getPublicKey(),
      iat: 1_700_000_000,
      iss: issuer.getPublicKey(),
      name: 'test',
      sub: subject.getPublicKey(),
      nats: { ...nats, version: 2 },
    })}`;
    return `${body}.${Buffer.from(issuer.sign(Buffer.from(body))).toString('base64url')}`;
  };
  const limits = {
    subs: -1,
    conn: -1,
    leaf: -1,
    imports: -1,
    exports: -1,
    data: -1,
    payload: -1,
    wildcards: true,
  };
  const configuration = [
    `operator: ${token(operator, operator, { type: 'operator' })}`,
    'resolver: MEMORY',
    `resolver_preload: { ${account.getPublicKey()}: ${token(operator, account, { type: 'account', limits })} }`,
  ].join('\n');
  const mine = token(account, user, { type: 'user', pub: {}, sub: {}, subs: -1, data: -1, payload: -1 });
  const seed = new TextDecoder().decode(user.getSeed());
  return {
    configuration,
    creds: [
      `-----BEGIN NATS USER JWT-----\n${mine}\n------END NATS USER JWT------\n`,
      `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    ].join('\n'),
  };
}
