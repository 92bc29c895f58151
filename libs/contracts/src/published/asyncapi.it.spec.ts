import { spawnSync } from 'node:child_process';

it('docs/asyncapi.yaml is what the table of published events says', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/asyncapi.mjs', '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
