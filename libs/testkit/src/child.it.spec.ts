import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { startAll } from './child';
import { eventually } from './eventually';

const kit = new URL('../../../dist/libs/testkit/src/index.js', import.meta.url);

/** Starts a part in a process that has nothing else to do and never stops it; gives its port when that has ended. */
async function leave(start: string): Promise<number> {
  const script = `
    const kit = await import(${JSON.stringify(kit)});
    console.log((await kit.${start}()).url);`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { timeout: 30_000 });
  return Number(/:(\d+)/.exec(stdout)?.[1]);
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

it.each(['startNats', 'startPostgres', 'startEmulatorProcess'])(
  'a part that nobody stopped kept its process from ending, and outlived it: %s',
  async (start) => {
    const port = await leave(start);
    expect(port).toBeGreaterThan(0);
    await eventually(
      async () => !(await listens(port)) || undefined,
      () => 'it goes on',
    );
  },
);

it('parts that had started went on when another failed', async () => {
  const stopped: string[] = [];
  const part = async (name: string) => ({ stop: async () => void stopped.push(name) });
  const late = new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => part('late'));
  const failed = Promise.reject<Awaited<ReturnType<typeof part>>>(new Error('no port'));
  await expect(startAll([part('early'), failed, late])).rejects.toThrow('no port');
  expect(stopped.sort()).toEqual(['early', 'late']);
});
