import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkout, eventually, type House, signalAll, startHouse, trayOf } from '@carillon/testkit';
import { build } from 'esbuild';

/** A fenced block, what the comments before it say of its run, and what the block after it says of its output. */
interface Snippet {
  readonly language: string;
  readonly text: string;
  /** What a person answers on a phone meanwhile. */
  readonly phone: string | undefined;
  readonly exit: number;
  /** Lines in their order; `…` is anything. */
  readonly output: readonly string[];
}

const guides = readdirSync(join(checkout, 'docs/guides')).map((name) => `docs/guides/${name}`);
/** Other documents that a person follows from the first block to the last. */
const others = ['docs/examples/family.md', 'README.md'];
const read = (path: string): string => readFileSync(join(checkout, path), 'utf8');
const fences = /((?:<!-- (?:phone|exit): [^\n]+ -->\n+)*)^```(\w*)\n([\s\S]*?)^```$/gm;

function snippetsOf(path: string): Snippet[] {
  const blocks = [...read(path).matchAll(fences)];
  return blocks.flatMap(([, comments = '', language = '', text = ''], index) => {
    const said = (name: string) => new RegExp(`<!-- ${name}: (.+) -->`).exec(comments)?.[1];
    const [, , next, output = ''] = blocks[index + 1] ?? [];
    if (language !== 'sh' && language !== 'ts') return [];
    return {
      language,
      text,
      phone: said('phone'),
      exit: Number(said('exit') ?? 0),
      output: next === 'text' ? output.trimEnd().split('\n') : [],
    };
  });
}

let house: House;
let receiverUrl: string;
const work = mkdtempSync(join(tmpdir(), 'carillon-guides-'));
beforeAll(async () => {
  house = await startHouse({ clock: 'system', limits: 'off', receivers: true });
  house.ignorePushes();
  const receiver = await house.receiver();
  receiver.ignore();
  receiverUrl = receiver.url;
  mkdirSync(join(work, 'bin'));
  cpSync(join(checkout, 'dist/apps/cli/carillon.mjs'), join(work, 'bin/carillon'));
  chmodSync(join(work, 'bin/carillon'), 0o755);
}, 120_000);
afterAll(async () => {
  await house?.close();
  rmSync(work, { recursive: true, force: true });
}, 90_000);

/** A shell of somebody who follows a guide: what one block sets, the next one has. */
class Shell {
  private readonly folder: string;
  private readonly process: ChildProcess;
  private readonly statuses: AsyncIterator<string>;
  private count = 0;

  constructor(name: string) {
    this.folder = mkdtempSync(join(work, `${name.replaceAll('/', '-')}-`));
    symlinkSync(house.dataDir, join(this.folder, '.carillon'));
    // An example is followed in a checkout.
    symlinkSync(join(checkout, 'tools'), join(this.folder, 'tools'));
    this.process = spawn('bash', [], {
      cwd: this.folder,
      env: {
        PATH: `${join(work, 'bin')}:${process.env['PATH']}`,
        HOME: this.folder,
        CARILLON_URL: house.state.baseUrl,
        CARILLON_TOKEN: house.owner.apiToken,
        CARILLON_DATA: house.dataDir,
        CHECKOUT: checkout,
        RECEIVER_URL: receiverUrl,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    this.statuses = createInterface({ input: this.process.stdout! })[Symbol.asyncIterator]();
    // Of a block, the first command that failed counts too, not only the last one.
    this.process.stdin!.write("set -E -o pipefail; trap 'now=$?; [ $failed != 0 ] || failed=$now' ERR\n");
  }

  async run({ language, text }: Snippet): Promise<{ failed: number; status: number; output: string }> {
    const file = join(this.folder, `.${++this.count}`);
    if (language === 'ts') {
      await bundle(text, `${file}.mjs`);
      writeFileSync(`${file}.sh`, `${JSON.stringify(process.execPath)} ${file}.mjs\n`);
    } else writeFileSync(`${file}.sh`, text);
    this.process.stdin!.write(
      `failed=0; . ${file}.sh < /dev/null > ${file}.out 2> ${file}.err; echo "$failed $?"\n`,
    );
    const { value } = await this.statuses.next();
    const [failed = NaN, status = NaN] = String(value).split(' ').map(Number);
    return {
      failed,
      status,
      output: readFileSync(`${file}.out`, 'utf8') + readFileSync(`${file}.err`, 'utf8'),
    };
  }

  async end(): Promise<void> {
    const ended = once(this.process, 'close');
    signalAll([-this.process.pid!], 'SIGKILL');
    await ended;
  }
}

/** The typed client is in no registry: a program names its folder, and so does this. */
const bundle = (text: string, outfile: string) =>
  build({
    stdin: { contents: text, resolveDir: checkout, loader: 'ts' },
    tsconfig: join(checkout, 'tsconfig.base.json'),
    absWorkingDir: checkout,
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  });

/** Waits until the phone asks, and presses the button or writes the text. */
async function answerOnPhone(answer: string): Promise<void> {
  const { ios } = house.phones;
  const shown = await eventually(
    async () =>
      (await trayOf(house, ios)).find(
        ({ actions, reply }) => reply || actions.some((action) => action.answer === answer),
      ),
    () => `no phone asks for "${answer}"`,
    60_000,
  );
  const pressed =
    shown.promptId === undefined
      ? await house.simulator('POST', `/phones/${ios.id}/pages/${shown.id}/${answer}`, {})
      : await house.simulator('POST', `/phones/${ios.id}/press`, { promptId: shown.promptId, answer });
  expect(pressed.body).toMatchObject({ status: 200 });
}

/** The expected lines that are not in the output, or not in this order. */
function missing(expected: readonly string[], output: string): string[] {
  let from = 0;
  return expected.filter((line) => {
    const form = line
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*');
    const found = new RegExp(form).exec(output.slice(from));
    if (found) from += found.index + found[0].length;
    return !found;
  });
}

async function follow(path: string): Promise<void> {
  const shell = new Shell(path);
  try {
    for (const snippet of snippetsOf(path)) {
      const [ran] = await Promise.all([
        shell.run({ ...snippet, text: snippet.text.replace('http://localhost:8080', house.state.baseUrl) }),
        snippet.phone === undefined ? undefined : answerOnPhone(snippet.phone),
      ]);
      const { failed, status, output } = ran;
      const wrong = missing(snippet.output, output);
      expect({ snippet: snippet.text, status, failed, wrong, output }).toEqual({
        snippet: snippet.text,
        status: snippet.exit,
        failed: snippet.exit,
        wrong: [],
        output,
      });
    }
  } finally {
    await shell.end();
  }
}

describe('the guides', () => {
  it.each(guides)('%s can be followed word for word', follow, 120_000);

  it.each(others)('%s can be followed too', follow, 120_000);

  it('have TypeScript that fits the types of the client', () => {
    const folder = mkdtempSync(join(work, 'types-'));
    const texts = guides
      .flatMap(snippetsOf)
      .flatMap(({ language, text }) => (language === 'ts' ? [text] : []));
    for (const [at, text] of texts.entries()) writeFileSync(join(folder, `${at}.ts`), text);
    const compilerOptions = { typeRoots: [join(checkout, 'node_modules/@types')] };
    const project = { extends: join(checkout, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const compiler = join(checkout, 'node_modules/@typescript/native/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect([texts.length > 1, stdout]).toEqual([true, '']);
  });

  it('have few blocks that are not run, each with its reason in a comment of its part', () => {
    for (const path of guides) {
      const languages = [...read(path).matchAll(fences)].map(([, , language]) => language);
      expect(languages.filter((each) => !['sh', 'ts', 'text', 'console'].includes(each ?? ''))).toEqual([]);
      const unrun = languages.filter((each) => each === 'console');
      const reasons = read(path).match(/<!-- Not run by the test: /g) ?? [];
      expect([path, unrun.length > 0]).toEqual([path, reasons.length > 0]);
      expect(unrun.length).toBeLessThan(languages.length);
    }
    expect(guides.flatMap(snippetsOf).length).toBeGreaterThan(50);
  });
});
