import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

describe('the client in a browser', () => {
  it('takes at most 8 kB with all that it imports, and nothing of Node', () => {
    const { outputFiles } = buildSync({
      absWorkingDir: join(import.meta.dirname, '../../..'),
      entryPoints: ['libs/client/src/index.ts'],
      tsconfig: 'tsconfig.base.json',
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    const [bundle] = outputFiles;
    expect(gzipSync(bundle?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(8_192);
    expect(bundle?.text).not.toMatch(/\bfrom\s*"/);
  });
});
