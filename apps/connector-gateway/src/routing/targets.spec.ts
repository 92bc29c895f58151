import { Targets } from './targets';

const found = (targets: Targets, name: string): Promise<string> =>
  new Promise((resolve) => targets.lookup(name, {}, (error) => resolve(error?.code ?? 'found')));

describe('the targets of a gateway', () => {
  it.each([
    ['169.254.169.254', false],
    ['[::ffff:a9fe:a9fe]', false],
    ['[fe80::1]', false],
    ['[fd00:ec2::254]', false],
    ['100.100.100.200', false],
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['[fd00::1]', true],
    ['203.0.113.7', true],
    ['wiki.internal', true],
  ])('are everywhere but the metadata service of a cloud: %s', (host, allowed) =>
    expect(new Targets().allowsHost(host)).toBe(allowed),
  );

  it.each([
    ['10.9.9.9', true],
    ['[::1]', true],
    ['11.0.0.1', false],
    ['127.0.0.1', false],
    ['[::2]', false],
  ])('are where the setting says, and nowhere else: %s', (host, allowed) =>
    expect(new Targets(['10.0.0.0/8', '::1']).allowsHost(host)).toBe(allowed),
  );

  it('are judged by the address that a name leads to', async () => {
    expect(await found(new Targets(), 'localhost')).toBe('found');
    expect(await found(new Targets(['10.0.0.0/8']), 'localhost')).toBe('TARGET_NOT_ALLOWED');
  });

  it.each(['10.0.0.0/33', 'wiki.internal', '10.0.0.0/8/8', '10.0.0.0/x', ''])(
    'are not taken from what is no network: %j',
    (network) => expect(() => new Targets([network])).toThrow(),
  );
});
