// The steps that `npm run check` and `npm test` are made of: each a command, its output shown only where it failed
// or where it is the point.
import { spawn } from 'node:child_process';
import { root, seconds } from './setup.mjs';

const environment = {
  ...process.env,
  NX_NO_CLOUD: 'true',
  NX_DAEMON: 'false',
  NX_TUI: 'false',
  NX_INTERACTIVE: 'false',
};
const running = new Set();
let stopped = false;

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stopped = true;
    for (const child of running) child.kill(signal);
  });

/** Runs one command of node's; resolves to true when it ended well. Prints a line with its time. */
function step(name, argv, { quiet = false } = {}) {
  if (stopped) return Promise.resolve(false);
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, argv, {
      cwd: root,
      env: environment,
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    child.once('close', (code) => {
      running.delete(child);
      if (code !== 0 && output) process.stdout.write(`\n${output}\n`);
      console.log(`${name.padEnd(14)} ${code === 0 ? 'ok' : 'FAILED'} in ${seconds(started)}`);
      resolve(code === 0);
    });
  });
}

const bin = (path) => `node_modules/${path}`;

/**
 * What must hold of the text alone, nothing started: format, lint with boundaries, types, cycles, what nobody uses,
 * repeated type names, the client's types. Two at a time.
 */
export async function checks() {
  const lanes = [
    [
      // The walls between projects are checked against Nx's graph, which a fresh clone does not have yet.
      ['projects', [bin('nx/dist/bin/nx.js'), 'show', 'projects']],
      ['lint', [bin('eslint/bin/eslint.js'), '--max-warnings=0', '.']],
      ['types', [bin('@typescript/native/bin/tsc'), '-p', 'tsconfig.json', '--noEmit']],
      ['console types', [bin('@typescript/native/bin/tsc'), '-p', 'apps/console', '--noEmit']],
    ],
    [
      ['format', [bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.']],
      [
        'cycles',
        [
          bin('dependency-cruiser/bin/dependency-cruise.mjs'),
          '--config',
          '.dependency-cruiser.mjs',
          'apps',
          'libs',
        ],
      ],
      ['unused', [bin('knip/bin/knip.js'), '--config', 'knip.jsonc', '--no-progress']],
      ['type names', ['tools/type-names.mjs']],
      ['client types', ['tools/client-types.mjs', '--check']],
    ],
  ];
  let fine = true;
  await Promise.all(
    lanes.map(async (lane) => {
      for (const [name, argv] of lane) fine = fine && (await step(name, argv, { quiet: true })) && fine;
    }),
  );
  return fine;
}

/** One tier of the tests, jest's own output shown. `report` names a file for its numbers. */
export const tier = (name, report) =>
  step(`tests ${name}`, ['tools/jest.mjs', name, ...(report ? ['--json', `--outputFile=${report}`] : [])]);
