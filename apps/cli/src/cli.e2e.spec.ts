import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type AddressInfo, connect, createServer as createRelay, type Socket } from 'node:net';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import { buffer, text as textOf } from 'node:stream/consumers';
import { eventually, freePort, type House, PersonBrowser, startHouse, trayOf } from '@carillon/testkit';
import { Webhook } from 'standardwebhooks';
import { Machine, type Ran } from './testbed';

let house: House;
let machine: Machine;
beforeAll(async () => {
  // The same address after a restart, as an installation has it.
  house = await startHouse({
    limits: 'off',
    env: { PORT: String(await freePort()), CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' },
  });
  house.ignorePushes();
  machine = new Machine();
}, 120_000);
afterAll(async () => {
  machine?.remove();
  await house?.close();
}, 90_000);

const run = (...args: string[]): Promise<Ran> => machine.run(args);
/** The only prompt that a phone shows, waited for. */
const shown = () =>
  eventually(
    async () => (await trayOf(house, house.phones.ios)).find(({ promptId }) => promptId) ?? undefined,
    () => 'no prompt is shown',
    20_000,
  );
const press = async (answer: string): Promise<string> => {
  const { promptId } = await shown();
  const path = `/phones/${house.phones.ios.id}/press`;
  const pressed = await house.simulator('POST', path, { promptId, answer });
  expect(pressed.body).toMatchObject({ status: 200 });
  return String(promptId);
};
/** The phones show no prompt any more. */
const cleared = () =>
  eventually(
    async () => (await trayOf(house, house.phones.ios)).every(({ promptId }) => !promptId) || undefined,
    () => 'a prompt is still shown',
    20_000,
  );
const acceptedOf = async (id: string): Promise<number> =>
  (await house.api('GET', `/interactions/${id}`)).body.interaction.accepted;
const statusOf = async (id: string): Promise<string> =>
  (await house.api('GET', `/interactions/${id}`)).body.interaction.status;
afterEach(cleared);

describe('the command line at an installation', () => {
  it('signs in with a token on stdin, and sends a notification', async () => {
    const { state, owner } = house;
    expect((await run('whoami')).code).toBe(3);
    expect((await machine.run(['login', state.baseUrl], `${owner.apiToken}\n`)).code).toBe(0);
    const { code, stdout } = await run('notify', 'Backup finished', '--title', 'Backup');
    expect([code, JSON.parse(stdout).accepted]).toEqual([0, 2]);
  });

  it.each(['--browser', '--device'])('signs in by a person with a browser: %s', async (how) => {
    const { state, owner } = house;
    const browser = new PersonBrowser(state.baseUrl);
    await browser.signIn(owner);
    const own = new Machine();
    try {
      const { child, ended } = own.start(['login', state.baseUrl, how]);
      child.stdin.end();
      const said = new Promise<string>((resolve) => {
        let text = '';
        child.stderr.on('data', (chunk: Buffer) => {
          text += chunk;
          if (/code [A-Z]{4}-[A-Z]{4}\n|oauth\/authorize\S+\n/.test(text)) resolve(text);
        });
      });
      const [, code] = /code (\S+)/.exec(await said) ?? [];
      if (code === undefined) {
        const [address = ''] = /http\S+authorize\S+/.exec(await said) ?? [];
        const back = await browser.agree(address);
        expect((await fetch(back)).status).toBe(200);
      } else {
        const { body } = await browser.session('GET', `/cli/${code.toLowerCase()}`);
        expect(body).toMatchObject({ client: 'cli', host: expect.any(String) });
        const decision = { decision: 'approve', scopes: ['notifications:send'] };
        expect((await browser.session('POST', `/cli/${code}`, { body: decision })).status).toBe(200);
      }
      const { code: exit, stdout, stderr } = await ended;
      expect([exit, stderr]).toEqual([0, expect.any(String)]);
      expect(JSON.parse(stdout)).toMatchObject({
        token: { name: expect.stringMatching(/^CLI on /), prefix: expect.stringMatching(/^carillon_pat_/) },
      });
      expect((await own.run(['whoami'])).code).toBe(0);
    } finally {
      own.remove();
    }
  });

  it.each([
    ['approved', 0],
    ['denied', 5],
  ])('asks, and ends with what a person has pressed: %s is %i', async (answer, exit) => {
    const asked = run('ask', 'Ship 1.4?');
    await press(answer);
    expect((await asked).code).toBe(exit);
  });

  it('ends with 4 when nobody answers in time', async () => {
    const asked = run('ask', 'Ship 1.5?', '--timeout', '60');
    await shown();
    await house.advance(61);
    expect((await asked).code).toBe(4);
  });
});

/** Runs the installed hook of Claude Code as the agent does: by a shell, the payload on stdin, closed at once. */
function permission(env: Record<string, string> = {}) {
  const settings = JSON.parse(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'));
  const { command } = settings.hooks.PermissionRequest[0].hooks[0];
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: machine.home,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home, ...env },
  });
  child.stdin.end(
    JSON.stringify({
      session_id: 'a1',
      transcript_path: '/t',
      cwd: '/work/app',
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      tool_input: { command: 'git push', description: 'Publishes' },
    }),
  );
  const ended = Promise.all([once(child, 'close'), textOf(child.stdout)]);
  return { child, decided: ended.then(([, text]) => JSON.parse(text).hookSpecificOutput.decision) };
}

describe('a hook of Claude Code', () => {
  beforeAll(async () => {
    expect((await run('hooks', 'install', 'claude-code')).code).toBe(0);
  });

  it('waits for a phone, which allows it or denies it', async () => {
    const allowed = permission();
    expect((await shown()).body).toContain('$ git push');
    await press('approved');
    expect(await allowed.decided).toEqual({ behavior: 'allow' });
    const denied = permission();
    await press('denied');
    expect(await denied.decided).toEqual({ behavior: 'deny', message: 'A person denied it.' });
  });

  it('that is ended takes its question from the phones, and denies', async () => {
    const { child, decided } = permission();
    const { promptId } = await shown();
    child.kill('SIGTERM');
    expect(await decided).toMatchObject({ behavior: 'deny' });
    expect(await statusOf(String(promptId))).toBe('canceled');
    await cleared();
  });

  it('that is killed leaves a question, which expires', async () => {
    const { child, decided } = permission();
    const { promptId } = await shown();
    child.kill('SIGKILL');
    await expect(decided).rejects.toThrow(SyntaxError);
    expect(await statusOf(String(promptId))).toBe('pending');
    await house.advance(301);
    expect(await statusOf(String(promptId))).toBe('expired');
  });
});

describe('the digest of a prompt', () => {
  const titles = [
    ['claude-code', 'Claude Code: Bash'],
    ['codex', 'Codex: Bash'],
    ['copilot', 'Copilot: bash'],
    ['gemini', 'Gemini: run_shell_command'],
  ] as const;
  /** Names in the order of the alphabet, as canonical JSON has them. */
  const digestOf = (title: string, prompt: string): string => {
    const [choices, kind] = [['approve', 'deny'], 'approval'];
    const labels = { primaryLabel: 'Allow', prompt, secondaryLabel: 'Deny' };
    const seen = JSON.stringify({ choices, imageUrl: null, kind, ...labels, title, url: null });
    return `sha256:${createHash('sha256').update(seen).digest('hex')}`;
  };

  it.each(titles)('of %s covers what the phone shows, which is all of the call', async (host, title) => {
    const payload = readFileSync(join(import.meta.dirname, 'hook/payloads', `${host}.json`), 'utf8');
    const running = machine.start(['hook', host]);
    running.child.stdin.end(payload);
    const { body, actionDigest, ...tray } = await shown();
    const call = JSON.parse(payload);
    const [input, session] = [call.tool_input ?? call.toolArgs, call.session_id ?? call.sessionId];
    const head = `Tool: ${call.tool_name ?? call.toolName}\nFolder: ${call.cwd}\nSession: ${session}`;
    const prompt = `${head}\n\n$ ${input.command}\ndescription: ${input.description}`;
    expect([tray.title, body]).toEqual([title, prompt]);
    expect(tray.actions).toMatchObject([{ label: 'Allow' }, { label: 'Deny' }]);
    expect(actionDigest).toBe(digestOf(tray.title, body));
    await press('denied');
    expect((await running.ended).code).toBe(0);
  });
});

describe('webhooks listen', () => {
  interface Posted {
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }
  let receiver: Server | undefined;
  let port: number;
  let status = 204;
  let posted: Posted[] = [];
  let webhook: { readonly id: string; readonly secret: string };
  const children: ChildProcess[] = [];

  const start = async (): Promise<void> => {
    receiver = createServer(async (request, response) => {
      const body = await buffer(request);
      if (status === 204) posted.push({ headers: request.headers, body });
      response.writeHead(status).end();
    }).listen(port, '127.0.0.1');
    await once(receiver, 'listening');
  };
  const stop = async (): Promise<void> => {
    receiver?.close();
    receiver?.closeAllConnections();
    receiver = undefined;
  };
  const pull = (after: number) =>
    house.api('GET', `/webhooks/${webhook.id}/messages?timeoutSeconds=0&after=${after}`);
  /** Ends a prompt, which is told. */
  const canceled = async (prompt: string): Promise<void> => {
    const body = { title: 'Deploy', prompt, kind: 'approval', webhookId: webhook.id };
    const { interaction } = (await house.api('POST', '/interactions', { body })).body;
    await house.api('POST', `/interactions/${interaction.id}/cancel`);
  };
  const listening = () => {
    const to = `http://127.0.0.1:${port}/hooks?a=b`;
    const { child, ended } = machine.start(['webhooks', 'listen', '--forward-to', to]);
    children.push(child);
    let said = '';
    child.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
    return {
      says: (words: string | RegExp) =>
        eventually(
          () => said.match(words) ?? undefined,
          () => `${words} is not in: ${said}`,
          30_000,
        ),
      end: async () => {
        child.kill();
        const { stdout } = await ended;
        return stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      },
    };
  };
  const arrives = (count: number) =>
    eventually(
      () => (posted.length >= count ? posted : undefined),
      () => `${posted.length} of ${count} messages came`,
      40_000,
    );
  const verified = ({ headers, body }: Posted): any =>
    new Webhook(webhook.secret).verify(body.toString('utf8'), headers as Record<string, string>);
  const numbers = () => posted.map(({ headers }) => Number(headers['carillon-sequence']));

  beforeAll(async () => {
    port = await freePort();
    await start();
    const made = await house.api('POST', '/webhooks', {
      body: { name: 'Laptop', url: 'https://127.0.0.1:9443/' },
    });
    webhook = { id: made.body.webhook.id, secret: made.body.signingSecret };
  });
  beforeEach(() => (posted = []));
  afterAll(async () => {
    for (const child of children) child.kill();
    await stop();
  });

  it('forwards messages as they would have been sent, and goes on where it was ended', async () => {
    const first = listening();
    await first.says('Forwarding');
    await canceled('Größe "ä"\n🚀');
    await canceled('second');
    const [one] = await arrives(2);
    expect(one!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'carillon-webhooks/1',
      'carillon-sequence': '1',
    });
    expect(verified(one!).data.interaction.prompt).toBe('Größe "ä"\n🚀');
    const told = (sequence: number) => ({ sequence, id: expect.stringMatching(/^msg_/), status: 204 });
    await cursorIs(2);
    expect(await first.end()).toEqual([told(1), told(2)]);
    await canceled('while it is away');
    const second = listening();
    await arrives(3);
    await cursorIs(3);
    expect(await second.end()).toEqual([told(3)]);
    expect(numbers()).toEqual([1, 2, 3]);
  }, 60_000);

  it('leaves out nothing while its receiver is away or fails', async () => {
    await stop();
    const listener = listening();
    await listener.says('Forwarding');
    await canceled('to nobody');
    await canceled('after it');
    await listener.says(/trying again in \d+ s: message 4: .*ECONNREFUSED/);
    status = 500;
    await start();
    await listener.says('message 4: status 500');
    status = 204;
    await arrives(2);
    expect(posted.map((each) => verified(each).data.interaction.prompt)).toEqual(['to nobody', 'after it']);
    expect(numbers()).toEqual([4, 5]);
    await cursorIs(5);
    await listener.end();
  }, 60_000);

  it('tells of a gap', async () => {
    await canceled('too old');
    // On record, and off the phones, before the clock moves.
    await eventually(
      async () => (await pull(5)).body.messages.length > 0 || undefined,
      () => 'there is no message',
    );
    await cleared();
    await house.advance(25 * 3_600);
    await canceled('new');
    const listener = listening();
    await listener.says('Gap: message 6 is gone.');
    await arrives(1);
    expect(numbers()).toEqual([7]);
    await cursorIs(7);
    await listener.end();
  }, 60_000);

  it('refuses what it cannot forward to, and a webhook that is not there', async () => {
    for (const to of ['ftp://127.0.0.1/', '/hooks', 'http://me@localhost/']) {
      const { code, stderr } = await run('webhooks', 'listen', '--forward-to', to);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--forward-to')]);
    }
    expect((await run('webhooks', 'listen')).code).toBe(2);
    const unknown = ['listen', 'whk_01j00000000000000000000000', '--forward-to', 'http://127.0.0.1:9/'];
    expect((await run('webhooks', ...unknown)).code).toBe(1);
    const away = { CARILLON_URL: 'http://127.0.0.1:9', CARILLON_TOKEN: 'carillon_pat_0' };
    const args = ['webhooks', 'listen', webhook.id, '--forward-to', 'http://127.0.0.1:9/'];
    expect((await machine.run(args, '', away)).code).toBe(6);
  }, 60_000);

  it('waits on, as a hook does, while the server is killed and started again; a new hook denies', async () => {
    const listener = listening();
    await listener.says('Forwarding');
    const waiting = permission();
    const { promptId } = await shown();
    // What a provider has accepted and push has not noted yet counts as not accepted.
    await eventually(
      async () => (await acceptedOf(String(promptId))) > 0 || undefined,
      () => 'no device has accepted the prompt',
    );
    await house.kill9();
    expect(await permission().decided).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('Carillon could not ask'),
    });
    await listener.says('Asking the server again');
    await house.start();
    house.ignorePushes();
    await press('approved');
    expect(await waiting.decided).toEqual({ behavior: 'allow' });
    await canceled('after the restart');
    const [message] = await arrives(1);
    expect(verified(message!).data.interaction.prompt).toBe('after the restart');
    await listener.end();
  }, 120_000);

  const cursorIs = (after: number) =>
    eventually(
      () => {
        const file = join(machine.home, '.config/carillon/cursors', `${webhook.id}.json`);
        return (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).after === after) || undefined;
      },
      () => `the cursor is not ${after}`,
      20_000,
    );
});

/** The way to the house, which breaks with its first answer, and passes nothing on until it is mended. */
class BreakingWay {
  private state: 'new' | 'broken' | 'mended' = 'new';
  private broken = (): void => {};
  readonly untilBroken = new Promise<void>((resolve) => (this.broken = resolve));
  private readonly relay = createRelay((from) => this.passOn(from.on('error', () => {}))).unref();

  async open(): Promise<string> {
    await once(this.relay.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.relay.address() as AddressInfo).port}`;
  }

  mend(): void {
    this.state = 'mended';
  }

  close(): void {
    this.relay.close();
  }

  private passOn(from: Socket): void {
    if (this.state === 'broken') {
      from.destroy();
      return;
    }
    const { hostname, port } = new URL(house.state.baseUrl);
    const to = connect(Number(port), hostname).on('error', () => from.destroy());
    from.on('close', () => to.destroy()).pipe(to);
    if (this.state === 'mended') to.pipe(from);
    else
      to.once('data', () => {
        this.state = 'broken';
        from.destroy();
        this.broken();
      });
  }
}

describe('a hook whose question was sent, and whose answer was lost', () => {
  it('waits for the person who was asked, while the server is killed and started again', async () => {
    const way = new BreakingWay();
    const waiting = permission({ CARILLON_URL: await way.open(), CARILLON_TOKEN: house.owner.apiToken });
    const { promptId } = await shown();
    await way.untilBroken;
    await house.kill9();
    await house.start();
    house.ignorePushes();
    way.mend();
    expect(await press('approved')).toBe(promptId);
    expect(await waiting.decided).toEqual({ behavior: 'allow' });
    way.close();
  }, 120_000);
});
