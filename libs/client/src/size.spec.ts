import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const checkout = join(import.meta.dirname, '../../..');

describe('the client in a browser', () => {
  it('takes at most 8 kB with all that it imports, and nothing of Node', () => {
    const bundle = execFileSync(
      process.execPath,
      [
        'node_modules/esbuild/bin/esbuild',
        'libs/client/src/index.ts',
        '--bundle',
        '--minify',
        '--format=esm',
        '--platform=browser',
        '--tsconfig=tsconfig.base.json',
      ],
      { cwd: checkout },
    );
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(8_192);
    expect(bundle.toString()).not.toMatch(/\bfrom\s*"/);
  });
});
