import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ports } from './ports';

const folder = mkdtempSync(join(tmpdir(), 'carillon-ports-'));
afterAll(() => rmSync(folder, { recursive: true }));
const portsIn = (name: string): Ports => new Ports(join(folder, name), 0);

const many = (ports: Ports): Promise<number[]> =>
  Promise.all(Array.from({ length: 150 }, (_, n) => ports.any(`metrics of ${n}`)));

describe('the ports of a standalone', () => {
  beforeAll(() => ['one', 'two', 'copy'].forEach((name) => mkdirSync(join(folder, name))));

  it('are not those of another that has not listened yet', async () => {
    const [one, two] = await Promise.all([many(portsIn('one')), many(portsIn('two'))]);
    expect(new Set([...one, ...two]).size).toBe(300);
  });

  it('stay the same in a process, and are left when another has them', async () => {
    const ports = portsIn('one');
    const port = await ports.any('gateway-1');
    expect(await ports.any('gateway-1')).toBe(port);
    cpSync(join(folder, 'one/ports.json'), join(folder, 'copy/ports.json'));
    expect(await portsIn('copy').any('gateway-1')).not.toBe(port);
  });
});
