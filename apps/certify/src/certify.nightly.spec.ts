import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signerOf } from './report';

const folder = mkdtempSync(join(tmpdir(), 'carillon-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a house to which something is done twenty times under load', () => {
  it('keeps every promise, which a signed report says', async () => {
    const out = join(folder, 'report.md');
    // With this seed everything is done that can be done to it, the full disk where that can be.
    const args = ['tools/certify.mjs', '--kills=20', '--seed=532', '--freeze=3', `--out=${out}`];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } });
    const report = readFileSync(out, 'utf8');
    expect(report).toContain('Something was done to it 20 times of 20. **All held.**');
    expect(signerOf(report)).toEqual(expect.any(String));
    expect(signerOf(report.replace('20 times of 20', '21 times of 21'))).toBeUndefined();
  }, 600_000);
});
