import { spawnSync } from 'node:child_process';

it('docs/asyncapi.yaml and the table in docs/events.md are what the table of published events says', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/asyncapi.mjs', '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
