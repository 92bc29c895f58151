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
import {
  checkout,
  eventually,
  type House,
  type HouseAccount,
  signalAll,
  startHouse,
  trayOf,
} from '@carillon/testkit';
import { build } from 'esbuild';

/** A fenced block, what the comments before it say of its run, and what the block after it says of its output. */
interface Snippet {
  readonly language: string;
  readonly text: string;
  /** What a person answers on a phone meanwhile. */
  readonly phone: string | undefined;
  /** It runs until somebody ends it; the next block comes when this is in its output. */
  readonly until: string | undefined;
  readonly exit: number;
  /** Lines in their order; `…` is anything. */
  readonly output: readonly string[];
}

const documents = readdirSync(join(checkout, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .concat('README.md')
  .sort();
const read = (path: string): string => readFileSync(join(checkout, path), 'utf8');
const fences =
  /((?:<!-- (?:phone|exit|until|Not run by the test): [^\n]+ -->\n+)*)^```(\w*)\n([\s\S]*?)^```$/gm;
/** Those of a text, with what the comments before them say. */
const blocksOf = (text: string) =>
  [...text.matchAll(fences)].map(([, comments = '', language = '', content = '']) => ({
    comments,
    language,
    content,
  }));
/** What a block may be beside a command or a program: `console` is what the test does not run. */
const notRun = ['console', 'text', 'http', 'json', 'yaml', 'toml', 'sql', 'graphql'];

function snippetsOf(path: string): Snippet[] {
  const blocks = blocksOf(read(path));
  return blocks.flatMap(({ comments, language, content }, index) => {
    const said = (name: string) => new RegExp(`<!-- ${name}: (.+) -->`).exec(comments)?.[1];
    const next = blocks[index + 1];
    if (language !== 'sh' && language !== 'ts') return [];
    return {
      language,
      text: content,
      phone: said('phone'),
      until: said('until'),
      exit: Number(said('exit') ?? 0),
      output: next?.language === 'text' ? next.content.trimEnd().split('\n') : [],
    };
  });
}
const followed = documents.filter((path) => snippetsOf(path).length > 0);

let house: House;
let receiverUrl: string;
let teamId: string;
/** What a reader puts in the place of addresses and ids, the longest first. */
let readers: readonly (readonly [string, string])[];
const work = mkdtempSync(join(tmpdir(), 'carillon-guides-'));
beforeAll(async () => {
  house = await startHouse({ clock: 'system', limits: 'off', receivers: true });
  house.ignorePushes();
  const receiver = await house.receiver();
  receiver.ignore();
  receiverUrl = receiver.url;
  teamId = await house.workplaceTeam(house.owner);
  readers = [
    ...['http://localhost:8080', 'http://127.0.0.1:8080', 'https://carillon.example.org'].map(
      (url) => [url, house.state.baseUrl] as const,
    ),
    ['https://carillon.example', house.state.baseUrl],
    ['nats://user:password@127.0.0.1:4222', house.state.natsUrl],
    ['/srv/', `${work}/srv/`],
    ['team_…', teamId],
    ['ada@example.test', house.owner.email],
    ['whsec_…', `whsec_${Buffer.alloc(32).toString('base64')}`],
    ...(await idsOf(house.owner)),
  ];
  mkdirSync(join(work, 'srv/backups'), { recursive: true });
  symlinkSync(house.dataDir, join(work, 'srv/carillon'));
  mkdirSync(join(work, 'bin'));
  cpSync(join(checkout, 'dist/apps/cli/carillon.mjs'), join(work, 'bin/carillon'));
  chmodSync(join(work, 'bin/carillon'), 0o755);
}, 120_000);
afterAll(async () => {
  await house?.close();
  rmSync(work, { recursive: true, force: true });
}, 90_000);

/** A service, and a reply webhook with a delivery. */
async function idsOf(owner: HouseAccount): Promise<(readonly [string, string])[]> {
  const made = async (path: string, body: object): Promise<any> => {
    const answer = await owner.api('POST', path, { body });
    expect([path, answer.body, answer.status < 300]).toEqual([path, answer.body, true]);
    return answer.body;
  };
  const { webhookUrl } = await made('/services', { title: 'Backups' });
  const { webhook } = await made('/webhooks', { name: 'Replies', url: receiverUrl });
  const asked = { title: 'Deploy', prompt: 'Deploy 1.2?', kind: 'approval', webhookId: webhook.id };
  const { interaction } = await made('/interactions', asked);
  await made(`/interactions/${interaction.id}/cancel`, {});
  const delivery = await eventually(
    async () => {
      const { deliveries } = (await owner.api('GET', `/webhooks/${webhook.id}`)).body;
      return deliveries.find(({ status }: { status: string }) => status === 'delivered');
    },
    () => 'the reply webhook has no delivery',
  );
  return [
    ['carillon_hook_…', webhookUrl.split('/').at(-1)],
    ['whk_…', webhook.id],
    ['whd_…', delivery.id],
  ];
}

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
    for (const name of ['tools', 'docs', 'package.json'])
      symlinkSync(join(checkout, name), join(this.folder, name));
    writeFileSync(join(this.folder, 'token.txt'), house.owner.apiToken);
    cpSync(
      join(checkout, 'apps/operator/src/import/recorded/opsgenie.json'),
      join(this.folder, 'export.json'),
    );
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
        BASE: house.state.baseUrl,
        TOKEN: house.owner.apiToken,
        TEAM: teamId,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    this.statuses = createInterface({ input: this.process.stdout! })[Symbol.asyncIterator]();
    // An answer of 4xx fails a block; the guides ask for that themselves, and show some that are meant.
    if (!name.startsWith('docs/guides'))
      this.process.stdin!.write(
        'curl() { [[ $1 = -*f* ]] || set -- --fail-with-body "$@"; command curl "$@"; }\n',
      );
    // Of a block, the first command that failed counts too, not only the last one.
    this.process.stdin!.write("set -E -o pipefail; trap 'now=$?; [ $failed != 0 ] || failed=$now' ERR\n");
  }

  async run({ language, text, until }: Snippet): Promise<{ failed: number; status: number; output: string }> {
    const file = join(this.folder, `.${++this.count}`);
    if (language === 'ts') {
      await bundle(text, `${file}.mjs`);
      writeFileSync(`${file}.sh`, `${JSON.stringify(process.execPath)} ${file}.mjs\n`);
    } else writeFileSync(`${file}.sh`, text);
    for (const name of ['out', 'err']) writeFileSync(`${file}.${name}`, '');
    const block = `. ${file}.sh < /dev/null > ${file}.out 2> ${file}.err`;
    const output = () => readFileSync(`${file}.out`, 'utf8') + readFileSync(`${file}.err`, 'utf8');
    this.process.stdin!.write(`failed=0; ${block}${until === undefined ? ';' : ' &'} echo "$failed $?"\n`);
    const { value } = await this.statuses.next();
    const [failed = NaN, status = NaN] = String(value).split(' ').map(Number);
    if (until !== undefined)
      await eventually(
        () => output().includes(until) || undefined,
        () => `"${until}" did not come of ${text}: ${output()}`,
        60_000,
      );
    return { failed, status, output: output() };
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

let ran = 0;
async function follow(path: string): Promise<void> {
  const shell = new Shell(path);
  try {
    for (const snippet of snippetsOf(path)) {
      const [{ failed, status, output }] = await Promise.all([
        shell.run({
          ...snippet,
          text: readers.reduce((text, each) => text.replaceAll(...each), snippet.text),
        }),
        snippet.phone === undefined ? undefined : answerOnPhone(snippet.phone),
      ]);
      const wrong = missing(snippet.output, output);
      expect({ snippet: snippet.text, status, failed, wrong, output }).toEqual({
        snippet: snippet.text,
        status: snippet.exit,
        failed: snippet.exit,
        wrong: [],
        output,
      });
      ran += 1;
    }
  } finally {
    await shell.end();
  }
}

describe('the documents', () => {
  // Its page is answered on a phone: no other page may be there.
  const first = 'docs/guides/on-call.md';
  it(`${first} can be followed word for word`, () => follow(first), 120_000);

  describe('while the page of an example escalates', () => {
    const slow = 'docs/examples/oncall.md';
    let escalation: Promise<unknown>;
    beforeAll(() => {
      escalation = follow(slow).catch((error: unknown) => error);
    });

    it.each(followed.filter((path) => path !== first && path !== slow))(
      '%s can be followed word for word',
      follow,
      120_000,
    );

    it(
      `${slow} can be followed word for word`,
      async () => expect(await escalation).toBeUndefined(),
      120_000,
    );
  });

  it('have TypeScript that fits the types of the client', () => {
    const folder = mkdtempSync(join(work, 'types-'));
    const texts = documents
      .flatMap(snippetsOf)
      .flatMap(({ language, text }) => (language === 'ts' ? [text] : []));
    for (const [at, text] of texts.entries()) writeFileSync(join(folder, `${at}.ts`), text);
    const compilerOptions = { typeRoots: [join(checkout, 'node_modules/@types')] };
    const project = { extends: join(checkout, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const compiler = join(checkout, 'node_modules/@typescript/native/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect([texts.length > 2, stdout]).toEqual([true, '']);
  });

  it('have a reason for each command that was not run, and no command that is called something else', () => {
    const blocks = documents.flatMap((path) => blocksOf(read(path)).map((block) => ({ path, ...block })));
    const languages = ['sh', 'ts', ...notRun];
    expect(blocks.filter(({ language }) => !languages.includes(language))).toEqual([]);
    const isExplained = ({ comments }: { comments: string }) =>
      comments.includes('<!-- Not run by the test: ');
    expect(blocks.filter((block) => (block.language === 'console') !== isExplained(block))).toEqual([]);
    const command =
      /^(\$ |\w+=\S* |(curl|node|npm|npx|carillon|docker|kubectl|helm|jq|import|const|await) )/m;
    const isOther = ({ language }: { language: string }) => !['sh', 'ts', 'console'].includes(language);
    expect(blocks.filter((block) => isOther(block) && command.test(block.content))).toEqual([]);
  });

  it('that are served have no block but those that ran and those with a reason', () => {
    const folder = join(checkout, 'dist/docs');
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as Record<
      string,
      { file: string }
    >;
    const served = Object.entries(index)
      .filter(([address]) => address.endsWith('.md'))
      .map(([, { file }]) => readFileSync(join(folder, file), 'utf8'));
    const lines = [...served, read('README.md')].flatMap((text) => text.match(/^ *(```|~~~)[^\n]*$/gm) ?? []);
    const isRun = (line: string) => /```(sh|ts)$/.test(line);
    const isListed = (line: string) => line.endsWith('```console');
    const others = lines.filter((line) => notRun.slice(1).some((each) => line === `\`\`\`${each}`)).length;
    const [runnable, listed] = [lines.filter(isRun).length, lines.filter(isListed).length];
    expect([ran, runnable > 100]).toEqual([runnable, true]);
    expect(lines).toHaveLength(2 * (ran + listed + others));
  });
});
