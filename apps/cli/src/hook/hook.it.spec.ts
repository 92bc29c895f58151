import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { played, PlayedCarillon, type PlayedQuestion } from '@carillon/testkit';
import { Machine, program } from '../testbed';

const interaction = {
  id: 'int_1',
  status: 'pending',
  response: null,
  createdAt: '2026-11-20T17:00:00.000Z',
  expiresAt: '2026-11-20T17:05:00.000Z',
};
const input = { command: 'git push', description: 'Publishes' };
const common = {
  session_id: 'a1',
  transcript_path: '/t',
  cwd: '/work/app',
  tool_name: 'Bash',
  tool_input: input,
};
const suggestion = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'git push' }],
  behavior: 'allow',
  destination: 'localSettings',
};

/** As the hosts send them. */
const payloads = {
  'claude-code': { ...common, hook_event_name: 'PermissionRequest', permission_suggestions: [suggestion] },
  codex: {
    ...common,
    hook_event_name: 'PermissionRequest',
    turn_id: 't1',
    model: 'm',
    permission_mode: 'default',
  },
  copilot: { timestamp: 1, cwd: '/work/app', toolName: 'bash', toolArgs: JSON.stringify(input) },
  gemini: {
    ...common,
    hook_event_name: 'BeforeTool',
    timestamp: '2026-11-20T17:00:00Z',
    tool_name: 'run_shell_command',
  },
};
type Host = keyof typeof payloads;
const hosts = Object.keys(payloads) as Host[];

const deniedBy = (host: Host, output: string): string => {
  const answer = JSON.parse(output);
  const { hookSpecificOutput: specific } = answer;
  if (specific)
    expect([specific.hookEventName, specific.decision.behavior]).toEqual(['PermissionRequest', 'deny']);
  else expect(answer[host === 'copilot' ? 'permissionDecision' : 'decision']).toBe('deny');
  return specific?.decision.message ?? answer.permissionDecisionReason ?? answer.reason;
};

let machine: Machine;
let server: PlayedCarillon;
beforeEach(async () => {
  machine = new Machine();
  server = await PlayedCarillon.start(() => played(500, {}));
  machine.env = { CARILLON_URL: server.url, CARILLON_TOKEN: 'carillon_pat_0secret' };
});
afterEach(async () => {
  machine.remove();
  await server.stop();
});

const answering = (status: string, response: string | null = status, accepted = 1) => {
  server.answer = ({ path }) => {
    if (path.includes('/wait'))
      return played(200, { interaction: { ...interaction, status, response }, timedOut: false });
    return path.endsWith('/cancel') ? played(200, { interaction }) : played(201, { interaction, accepted });
  };
};
const hook = (host: Host, args: string[] = [], payload: unknown = payloads[host], env = {}) =>
  machine.run(['hook', host, ...args], typeof payload === 'string' ? payload : JSON.stringify(payload), env);

describe('a permission', () => {
  it.each([
    [
      'claude-code',
      { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } },
    ],
    [
      'codex',
      { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } },
    ],
    ['copilot', { permissionDecision: 'allow', permissionDecisionReason: 'A person allowed it.' }],
    ['gemini', {}],
  ] as const)('that a person gives reaches %s in its form', async (host, answer) => {
    answering('approved');
    const { code, stdout } = await hook(host);
    expect([code, JSON.parse(stdout)]).toEqual([0, answer]);
    const [{ body, headers }] = server.to('POST', '/interactions') as [PlayedQuestion];
    expect(body).toMatchObject({ kind: 'approval', expiresInSeconds: 300 });
    expect(body.prompt).toContain('$ git push');
    expect(body.prompt).toContain('Folder: /work/app');
    expect(headers['idempotency-key']).toBeDefined();
  });

  /**
   * What a hook of Claude Code 2.1.197, Codex 0.171.0, Copilot CLI 1.0.102 and Gemini CLI 0.61.0 got on its stdin,
   * while a program on the same machine played the model and asked for one command. Folders and ids are made up.
   */
  it.each(hosts)('is asked about with the payload that %s itself has sent', async (host) => {
    answering('denied');
    const payload = readFileSync(join(import.meta.dirname, 'payloads', `${host}.json`), 'utf8');
    expect(deniedBy(host, (await hook(host, [], payload)).stdout)).toBe('A person denied it.');
    const [{ body }] = server.to('POST', '/interactions') as [PlayedQuestion];
    expect(body.prompt).toContain('$ rm -rf dist\ndescription: Clean build directory');
    expect(body.prompt).toContain('Folder: /work/app');
    expect(body.prompt).toContain('Session: 00000001-0000-4000-8000-000000000000');
  });

  it('offers the suggestions that Claude Code itself has sent', async () => {
    answering('replied', 'Allow and apply 2');
    const payload = readFileSync(join(import.meta.dirname, 'payloads/claude-code.json'), 'utf8');
    const { stdout } = await hook('claude-code', ['--remember'], payload);
    expect(JSON.parse(stdout).hookSpecificOutput.decision).toEqual({
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    });
    const [{ body }] = server.to('POST', '/interactions') as [PlayedQuestion];
    expect(body.choices).toEqual(['Allow once', 'Allow and apply 1', 'Allow and apply 2', 'Deny']);
  });

  it.each(hosts)('that a person denies is denied by %s', async (host) => {
    answering('denied');
    expect(deniedBy(host, (await hook(host)).stdout)).toBe('A person denied it.');
  });

  it('that a person gives counts, although the connection was cut before the server answered', async () => {
    answering('approved');
    const { answer } = server;
    server.answer = (question) => {
      const { length } = server.to('POST', '/interactions');
      if (length === 1) return 'cut';
      const stillRunning = { error: 'The first request is still running.', code: 'IDEMPOTENCY_IN_PROGRESS' };
      return length === 2 ? played(409, stillRunning) : answer(question);
    };
    const { stdout } = await hook('claude-code');
    expect(JSON.parse(stdout).hookSpecificOutput.decision).toEqual({ behavior: 'allow' });
    const asked = server.to('POST', '/interactions');
    expect([asked.length, new Set(asked.map(({ headers }) => headers['idempotency-key'])).size]).toEqual([
      3, 1,
    ]);
  });

  it('offers the rules of Claude Code as choices, and takes over the one that is chosen', async () => {
    server.answer = ({ path, body }) => {
      if (!path.includes('/wait')) {
        chosen = body.choices[1];
        return played(201, { interaction, accepted: 1 });
      }
      return played(200, {
        interaction: { ...interaction, status: 'replied', response: chosen },
        timedOut: false,
      });
    };
    let chosen = '';
    const { stdout } = await hook('claude-code', ['--remember']);
    expect(JSON.parse(stdout).hookSpecificOutput.decision).toEqual({
      behavior: 'allow',
      updatedPermissions: [suggestion],
    });
  });

  it('shows every rule of Claude Code in full, and offers none that has no room', async () => {
    answering('denied');
    const long = { ...suggestion, rules: [{ toolName: 'Bash', ruleContent: `${'a'.repeat(200)}:*` }] };
    const tooLong = { ...suggestion, rules: [{ toolName: 'Bash', ruleContent: 'b'.repeat(2_000) }] };
    const payload = { ...payloads['claude-code'], permission_suggestions: [long, tooLong, suggestion] };
    await hook('claude-code', ['--remember'], {
      ...payload,
      tool_input: { command: 'c'.repeat(5_000) },
    });
    const [{ body }] = server.to('POST', '/interactions') as [PlayedQuestion];
    expect(body.choices).toEqual(['Allow once', 'Allow and apply 1', 'Allow and apply 3', 'Deny']);
    expect(body.prompt).toContain(`\nAllow and apply 1: ${JSON.stringify(long)}\n`);
    expect(body.prompt).toContain(`\nAllow and apply 3: ${JSON.stringify(suggestion)}\n`);
    expect(body.prompt).not.toContain('bbb');
    expect(body.prompt.length).toBeLessThanOrEqual(4_000);
  });

  it.each(['Deny', 'allow once', 'Use a branch'])('is denied by the reply %j', async (reply) => {
    answering('replied', reply);
    deniedBy('claude-code', (await hook('claude-code', ['--remember'])).stdout);
  });
});

describe.each(hosts)('a hook of %s denies', (host) => {
  it.each([
    ['what is no JSON', '{"tool_name":'],
    ['nothing', ''],
    ['a list', '[]'],
    ['an event that it does not know', { ...common, hook_event_name: 'Other', toolResult: {} }],
    ['a call without a tool', { hook_event_name: 'PermissionRequest' }],
    ['more than 1 MiB', { ...payloads[host], more: 'x'.repeat(1_048_576) }],
  ])('%s', async (_name, payload) => {
    answering('approved');
    const { code, stdout } = await hook(host, [], payload);
    expect(code).toBe(0);
    deniedBy(host, stdout);
    expect(server.asked).toEqual([]);
  });

  it.each([
    ['a token that is not valid', () => played(401, { error: 'No such token.', code: 'TOKEN_INVALID' })],
    ['a missing scope', () => played(403, { error: 'A scope is missing.', code: 'INSUFFICIENT_SCOPE' })],
    ['an answer that is none', () => played(200, 'what')],
  ] satisfies [string, PlayedCarillon['answer']][])('at %s', async (_name, says) => {
    server.answer = says;
    deniedBy(host, (await hook(host)).stdout);
  });

  it('without a connection, and without being signed in', async () => {
    deniedBy(host, (await hook(host, [], payloads[host], { CARILLON_URL: 'http://127.0.0.1:9' })).stdout);
    deniedBy(host, (await hook(host, [], payloads[host], { CARILLON_TOKEN: '' })).stdout);
  }, 60_000);

  it('what no device has accepted, and cancels it', async () => {
    answering('pending', null, 0);
    deniedBy(host, (await hook(host)).stdout);
    expect(server.to('POST', '/interactions/int_1/cancel')).toHaveLength(1);
  });

  it('what it may not wait for, and cancels it', async () => {
    answering('pending');
    const asked = server.answer;
    server.answer = (call) =>
      call.path.includes('/wait')
        ? played(403, { error: 'A scope is missing.', code: 'INSUFFICIENT_SCOPE' })
        : asked(call);
    deniedBy(host, (await hook(host)).stdout);
    expect(server.to('POST', '/interactions/int_1/cancel')).toHaveLength(1);
  });

  it.each(['expired', 'canceled'])('what is %s', async (status) => {
    answering(status, null);
    deniedBy(host, (await hook(host)).stdout);
  });
});

describe('no answer in time', () => {
  it.each([
    ['claude-code', ''],
    ['codex', ''],
    ['gemini', '{}\n'],
    ['copilot', '{"permissionDecision":"ask","permissionDecisionReason":"Nobody answered within 300 s."}\n'],
  ] as const)('goes back to the terminal of %s with --on-timeout=ask', async (host, output) => {
    answering('expired', null);
    expect(await hook(host, ['--on-timeout=ask'])).toMatchObject({ code: 0, stdout: output });
    answering('canceled', null);
    deniedBy(host, (await hook(host, ['--on-timeout=ask'])).stdout);
  });
});

describe('a prompt for which nobody waits any more', () => {
  const canceled = (): Promise<void> =>
    new Promise((resolve) => {
      server.answer = ({ path }) => {
        if (path.endsWith('/cancel')) {
          resolve();
          return played(200, { interaction });
        }
        if (!path.includes('/wait')) return played(201, { interaction, accepted: 1 });
        waiting();
        return 'hang';
      };
    });
  let waiting = (): void => {};
  const untilWaiting = (): Promise<void> => new Promise((resolve) => (waiting = resolve));
  const begin = (env = {}) => {
    const running = machine.start(['hook', 'claude-code'], env);
    running.child.stdin.end(JSON.stringify(payloads['claude-code']));
    return running;
  };

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('is canceled at %s, and denied', async (signal) => {
    const [gone, asked] = [canceled(), untilWaiting()];
    const running = begin();
    await asked;
    running.child.kill(signal);
    await gone;
    deniedBy('claude-code', (await running.ended).stdout);
  });

  it.each([
    ['has closed its pipe', 'exec 3< <(node "$P" hook codex < payload); read; exec 3<&-; sleep 30'],
    ['is gone', 'node "$P" hook codex < payload > out & read; kill -9 $$'],
  ])('is canceled when what has started it %s', async (_name, script) => {
    const [gone, asked] = [canceled(), untilWaiting()];
    writeFileSync(join(machine.home, 'payload'), JSON.stringify(payloads.codex));
    const env = { ...machine.env, PATH: process.env['PATH'] ?? '', HOME: machine.home, P: program };
    const shell = spawn('bash', ['-c', script], {
      cwd: machine.home,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await asked;
    shell.stdin.write('\n');
    await gone;
    shell.kill('SIGKILL');
    if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit');
  });

  it('is canceled when a host of Node no longer reads its output', async () => {
    const [gone, asked] = [canceled(), untilWaiting()];
    const { child, ended } = begin();
    const unread = expect(ended).rejects.toThrow('Premature close');
    await asked;
    child.stdout.destroy();
    await gone;
    await unread;
  });

  it('is canceled when the hook is ended before the server has answered the question', async () => {
    const keys = new Set<unknown>();
    const canceled: string[] = [];
    server.answer = ({ path, headers }) => {
      if (path.endsWith('/cancel')) canceled.push(path);
      else keys.add(headers['idempotency-key']);
      const isFirst = server.asked.length === 1;
      if (isFirst) running.child.kill('SIGTERM');
      return isFirst ? 'hang' : played(201, { interaction, accepted: 1 });
    };
    const running = begin();
    const { stdout } = await running.ended;
    expect(deniedBy('claude-code', stdout)).toContain('No connection');
    expect(canceled).toEqual(['/api/agent/interactions/int_1/cancel']);
    expect(keys.size).toBe(1);
  }, 30_000);

  const breaking = () => {
    const breaks = `process.on('SIGUSR2', () => { throw new Error('broken'); });`;
    const module = `data:text/javascript,${encodeURIComponent(breaks)}`;
    return begin({ NODE_OPTIONS: `--import=${module}` });
  };

  it('is canceled when the hook itself breaks, and denied', async () => {
    const [gone, asked] = [canceled(), untilWaiting()];
    const running = breaking();
    await asked;
    running.child.kill('SIGUSR2');
    await gone;
    const { code, stdout } = await running.ended;
    expect([code, deniedBy('claude-code', stdout)]).toEqual([0, 'Carillon failed: broken']);
  });

  it('is denied when the hook breaks again while it cancels', async () => {
    const asked = untilWaiting();
    void canceled();
    const { answer } = server;
    server.answer = (question) => {
      if (!question.path.endsWith('/cancel')) return answer(question);
      running.child.kill('SIGUSR2');
      return 'hang';
    };
    const running = breaking();
    await asked;
    running.child.kill('SIGUSR2');
    const { code, stdout } = await running.ended;
    expect([code, deniedBy('claude-code', stdout)]).toEqual([0, 'Carillon failed: broken']);
  });

  it('is left to expire after kill -9', async () => {
    const asked = untilWaiting();
    void canceled();
    const running = begin();
    await asked;
    running.child.kill('SIGKILL');
    expect(await running.ended).toMatchObject({ code: null, signal: 'SIGKILL', stdout: '' });
    expect(server.to('POST', '/interactions')[0]?.body.expiresInSeconds).toBe(300);
  });
});

describe('a notification', () => {
  it.each(['claude-code', 'gemini'] as const)(
    'of %s is sent, and blocks nothing when it cannot be',
    async (host) => {
      const idle = {
        hook_event_name: 'Notification',
        message: 'Waiting for you',
        notification_type: 'idle_prompt',
      };
      server.answer = () => played(201, { notification: { id: 'anot_1' }, accepted: 1 });
      expect(await hook(host, [], idle)).toMatchObject({ code: 0, stdout: '' });
      expect(server.to('POST', '/notifications')).toMatchObject([{ body: { body: 'Waiting for you' } }]);
      const away = await hook(host, [], idle, { CARILLON_URL: 'http://127.0.0.1:9' });
      expect(away).toMatchObject({ code: 0, stdout: '' });
    },
  );
});

it('hides the secrets of a notification of a host', async () => {
  server.answer = () => played(201, { notification: { id: 'anot_1' }, accepted: 1 });
  const message = 'May I run DB_PASSWORD=hunter2 make?\u202e';
  await hook('claude-code', [], { hook_event_name: 'Notification', message });
  expect(server.to('POST', '/notifications')).toMatchObject([
    { body: { body: 'May I run DB_PASSWORD=[secret] make?\\u{202e}' } },
  ]);
});

describe('hooks', () => {
  const files = {
    'claude-code': '.claude/settings.json',
    codex: '.codex/hooks.json',
    copilot: '.github/hooks/carillon.json',
    gemini: '.gemini/settings.json',
  };
  const fileOf = (host: Host): string => join(machine.home, files[host]);
  const hooks = async (verb: string, host: Host, ...args: string[]) => {
    const { code, stdout, stderr } = await machine.run(['hooks', verb, host, ...args]);
    return { code, stderr, body: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  const written = (host: Host, text: string): void => {
    mkdirSync(dirname(fileOf(host)), { recursive: true });
    writeFileSync(fileOf(host), text);
  };
  const others = `{ "model":"x",\n\t"hooks": {"PermissionRequest": [{"matcher":"Edit","hooks":[{"type":"command","command":"lint"}]}], "preToolUse": []}}`;

  it.each(hosts)('of %s are installed once beside others, and removed byte for byte', async (host) => {
    written(host, others);
    expect((await hooks('install', host)).code).toBe(0);
    const first = readFileSync(fileOf(host), 'utf8');
    expect((await hooks('install', host)).code).toBe(0);
    expect(readFileSync(fileOf(host), 'utf8')).toBe(first);
    expect(first).toContain('"lint"');
    expect(JSON.parse(first).model).toBe('x');
    expect((await hooks('remove', host)).body).toEqual({ host, file: fileOf(host), installed: false });
    expect(readFileSync(fileOf(host), 'utf8')).toBe(others);
    await hooks('remove', host);
    expect(readFileSync(fileOf(host), 'utf8')).toBe(others);
  });

  it.each(hosts)('of %s leave no file where there was none', async (host) => {
    await hooks('install', host);
    expect(existsSync(fileOf(host))).toBe(true);
    await hooks('remove', host);
    expect(existsSync(fileOf(host))).toBe(false);
  });

  it('have the limit of the host in its unit, 30 s after the wait, and block where the host can', async () => {
    for (const host of hosts) await hooks('install', host, '--timeout', '120');
    const read = (host: Host) => JSON.parse(readFileSync(fileOf(host), 'utf8')).hooks;
    const claude = read('claude-code').PermissionRequest[0].hooks[0];
    expect(claude).toMatchObject({ type: 'command', timeout: 150, onFailure: 'block' });
    expect(read('claude-code').Notification[0].matcher).toBe('idle_prompt');
    expect(read('codex').PermissionRequest[0].hooks[0].timeout).toBe(150);
    expect(read('copilot').preToolUse[0].timeoutSec).toBe(150);
    expect(read('gemini').BeforeTool[0].hooks[0].timeout).toBe(150_000);
    answering('approved');
    const run = spawn('sh', ['-c', claude.command], {
      env: { ...machine.env, HOME: machine.home },
      cwd: machine.home,
    });
    run.stdin.end(JSON.stringify(payloads['claude-code']));
    expect(JSON.parse(await textOf(run.stdout)).hookSpecificOutput.decision.behavior).toBe('allow');
  });

  it('are taken out of a file that was changed meanwhile, with nothing else', async () => {
    written('claude-code', others);
    await hooks('install', 'claude-code');
    const changed = { ...JSON.parse(readFileSync(fileOf('claude-code'), 'utf8')), model: 'y' };
    written('claude-code', JSON.stringify(changed));
    await hooks('install', 'claude-code', '--timeout', '60');
    await hooks('remove', 'claude-code');
    expect(JSON.parse(readFileSync(fileOf('claude-code'), 'utf8'))).toEqual({
      ...JSON.parse(others),
      model: 'y',
    });
  });

  it('keep the link to a file and its mode', async () => {
    const real = join(machine.home, 'dotfiles.json');
    writeFileSync(real, others);
    chmodSync(real, 0o640);
    mkdirSync(dirname(fileOf('claude-code')), { recursive: true });
    symlinkSync(real, fileOf('claude-code'));
    await hooks('install', 'claude-code');
    expect(readFileSync(real, 'utf8')).toContain('hook claude-code');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    await hooks('remove', 'claude-code');
    expect(readFileSync(real, 'utf8')).toBe(others);
    expect(lstatSync(fileOf('claude-code')).isSymbolicLink()).toBe(true);
  });

  it('of two folders are restored each from its own note', async () => {
    const inFolder = async (name: string, verb: string): Promise<void> => {
      const folder = join(machine.home, name);
      mkdirSync(join(folder, '.github', 'hooks'), { recursive: true });
      const env = { ...process.env, ...machine.env, HOME: machine.home };
      const run = spawn(process.execPath, [program, 'hooks', verb, 'copilot'], { cwd: folder, env });
      await once(run, 'exit');
    };
    const files = ['a', 'b'].map((name) => join(machine.home, name, '.github/hooks/carillon.json'));
    for (const name of ['a', 'b']) await inFolder(name, 'install');
    expect(files.map((file) => existsSync(file))).toEqual([true, true]);
    for (const name of ['b', 'a']) await inFolder(name, 'remove');
    expect(files.map((file) => existsSync(file))).toEqual([false, false]);
  });

  it('are taken out without a note that can be read', async () => {
    written('claude-code', others);
    await hooks('install', 'claude-code');
    const notes = join(machine.home, '.config/carillon/hooks');
    for (const note of readdirSync(notes)) writeFileSync(join(notes, note), '{"file"');
    expect((await hooks('remove', 'claude-code')).code).toBe(0);
    expect(JSON.parse(readFileSync(fileOf('claude-code'), 'utf8'))).toEqual(JSON.parse(others));
  });

  it.each([
    '{ // mine\n}',
    '[]',
    '{"hooks": []}',
    '\ufeff{}',
    Buffer.from('{"model":"caf\u00e9"}', 'latin1'),
  ])('leave a file alone that they do not understand: %j', async (text) => {
    written('claude-code', '');
    writeFileSync(fileOf('claude-code'), text);
    expect((await hooks('install', 'claude-code')).code).toBe(2);
    expect(readFileSync(fileOf('claude-code'))).toEqual(Buffer.from(text));
  });

  it('say at install what a hook of Gemini cannot do', async () => {
    expect((await hooks('install', 'gemini')).stderr).toContain('can only deny, or tell');
  });

  it('are checked, with the version of Claude Code and the scopes of the token', async () => {
    const token = { name: 'Laptop', scopes: ['interactions:create', 'interactions:read'] };
    server.answer = () => played(200, { authenticated: true, token });
    const bin = join(machine.home, 'bin');
    mkdirSync(bin);
    const claude = (version: string): void =>
      writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho "${version} (Claude Code)"`, { mode: 0o755 });
    machine.env['PATH'] = `${bin}:${process.env['PATH']}`;
    claude('2.1.294');
    expect((await hooks('check', 'claude-code')).code).toBe(1);
    await hooks('install', 'claude-code');
    expect(await hooks('check', 'claude-code')).toMatchObject({
      code: 0,
      body: { installed: true, warnings: [expect.stringContaining('2.1.294')] },
    });
    claude('2.1.295');
    expect((await hooks('check', 'claude-code')).body.warnings).toEqual([]);
    token.scopes.pop();
    expect(await hooks('check', 'claude-code')).toMatchObject({
      code: 1,
      body: { warnings: ['The token lacks interactions:read.'] },
    });
  });
});
