import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './testbed';

/**
 * What a real EventStoreDB 23.10.7 answered, scenario by scenario, held against the built program. The scenarios wait
 * more than they compute, so they are run in parts at the same time, each with a server of its own.
 */
const PARTS = 10;
const recorded = join(import.meta.dirname, '../recorded');
const program = join(import.meta.dirname, '../../../dist/apps/event-store-emulator/src/main.js');

interface Compared {
  same: string[];
  different: { scenario: string; accepted: boolean; lines: string[] }[];
}

const folder = temporaryFolder();
const servers: { child: ChildProcess; exited: Promise<number | null> }[] = [];

async function startServer(part: number): Promise<string> {
  const data = join(folder.path, `data-${part}`);
  const child = spawn(process.execPath, [program, '--port', '0', '--data', data, '--exit-with-parent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  servers.push({ child, exited });
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => {
      const url = /"connectionString":"([^"]+)"/.exec(text.toString())?.[1];
      if (url) resolve(url);
    });
    void exited.then((code) => reject(new Error(`the emulator ended with ${code}`)));
  });
}

async function compare(part: number): Promise<Compared> {
  const url = await startServer(part);
  const tool = [join(recorded, 'compare.mjs'), 'compare', url, '--json', '--shard', `${part}/${PARTS}`];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, tool, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!stdout) reject(error ?? new Error(stderr));
      else resolve(JSON.parse(stdout) as Compared);
    });
  });
}

afterAll(() => {
  for (const { child } of servers) child.kill('SIGKILL');
  folder?.remove();
});

describe('the emulator, held against the recording of a real server', () => {
  let compared: Compared;
  beforeAll(async () => {
    const parts = await Promise.all(Array.from({ length: PARTS }, (_, part) => compare(part)));
    compared = {
      same: parts.flatMap((each) => each.same),
      different: parts.flatMap((each) => each.different),
    };
  }, 170_000);

  it('answers as recorded, but for what is accepted with a reason', () => {
    const unaccepted = compared.different.filter((each) => !each.accepted);
    expect(unaccepted.map(({ scenario, lines }) => `${scenario} | ${lines.join('\n  ')}`)).toEqual([]);
  });

  it('was asked everything that was recorded', () => {
    const { scenarios } = JSON.parse(readFileSync(join(recorded, 'eventstoredb-23.10.7.json'), 'utf8')) as {
      scenarios: unknown[];
    };
    expect(compared.same.length + compared.different.length).toBe(scenarios.length);
  });

  it('differs in everything that is accepted: what has become the same is accepted no longer', () => {
    const reasons = JSON.parse(readFileSync(join(recorded, 'accepted.json'), 'utf8')) as {
      why: string;
      sometimes?: boolean;
      scenarios: string[];
    }[];
    const same = new Set(compared.same);
    const always = reasons.filter((each) => !each.sometimes).flatMap((each) => each.scenarios);
    expect(always.filter((scenario) => same.has(scenario))).toEqual([]);
    expect(reasons.filter((each) => each.why.trim() === '')).toEqual([]);
  });

  it('did not fall over any of it', async () => {
    expect(servers).toHaveLength(PARTS);
    for (const { child, exited } of servers) {
      child.kill('SIGTERM');
      expect(await exited).toBe(0);
    }
  });
});
