import type { Question } from '@carillon/client';
import { Argument, type Command, Option } from 'commander';
import { asking } from '../ask/asking';
import type { Context } from '../context';
import { endOf, exits, wordsOf } from '../exits';
import { idempotent, whole } from '../inputs';
import { whenAbandoned } from './abandoned';
import { type Decision, type HookEvent, hostNames, type HostName, hosts } from './hosts';
import { isObject, masked, shownOf, shownValue, visible } from './shown';

export const defaultWait = 300;

export interface Options {
  readonly timeout: number;
  readonly onTimeout: 'deny' | 'ask';
  readonly remember?: boolean;
}

const longestPayload = 1_048_576;
/** Characters of a prompt for the suggestions of a host: the rest is for what it asks about. */
const longestRules = 1_500;
/** How long stdin may take, and a server that does not answer at all. */
const readWithinMs = 10_000;
const patienceSeconds = 5;
/** Beyond the prompt's own end, and before the host's limit, which is 30 s after the wait. */
const graceMs = 10_000;
/** How long a hook that broke may take to cancel its prompt. */
const brokenMs = 10_000;

const deny = (reason: string): Decision => ({ behavior: 'deny', reason });

async function payloadOf(stdin: NodeJS.ReadStream): Promise<Record<string, unknown>> {
  const late = setTimeout(() => stdin.destroy(new Error('the input did not end')), readWithinMs);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin) {
    pieces.push(Buffer.from(piece));
    length += piece.length;
    if (length > longestPayload) throw new Error('the input is larger than 1 MiB');
  }
  clearTimeout(late);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  const payload: unknown = JSON.parse(text);
  if (!isObject(payload)) throw new Error('the input is no JSON object');
  return payload;
}

/** The host's own suggestions by the choice that applies them: those whose whole text the prompt has room for. */
function choicesOf(suggestions: readonly unknown[]): Map<string, { rule: string; suggestion: unknown }> {
  const choices = new Map<string, { rule: string; suggestion: unknown }>();
  let room = longestRules;
  for (const [index, suggestion] of suggestions.slice(0, 4).entries()) {
    const choice = `Allow and apply ${index + 1}`;
    const rule = `${choice}: ${shownValue(suggestion)}`;
    const length = [...rule].length;
    if (length > room) continue;
    room -= length;
    choices.set(choice, { rule, suggestion });
  }
  return choices;
}

type Permission = Extract<HookEvent, { kind: 'permission' }>;

/** The question, and what an answer to it decides. */
function questionOf({ call, suggestions }: Permission, { timeout, remember }: Options) {
  const choices = choicesOf(remember ? suggestions : []);
  const shown = shownOf(
    call,
    [...choices.values()].map(({ rule }) => rule),
  );
  const approval: Question = {
    ...shown,
    kind: 'approval',
    primaryLabel: 'Allow',
    secondaryLabel: 'Deny',
    expiresInSeconds: timeout,
  };
  if (choices.size === 0) return { question: approval, choices };
  const question: Question = {
    ...shown,
    kind: 'reply',
    choices: ['Allow once', ...choices.keys(), 'Deny'],
    expiresInSeconds: timeout,
  };
  return { question, choices };
}

async function decide(
  context: Context,
  event: Permission,
  options: Options,
  givenUp: AbortSignal,
): Promise<Decision> {
  const { question, choices } = questionOf(event, options);
  const end = AbortSignal.timeout(options.timeout * 1_000 + graceMs);
  const answer = await asking(context.client(1), question, {
    givenUp: AbortSignal.any([givenUp, end]),
    patienceSeconds,
  });
  const { status, response } = answer;
  if (status === 'approved' || (status === 'replied' && response === 'Allow once'))
    return { behavior: 'allow', reason: 'A person allowed it.' };
  const chosen = response === null ? undefined : choices.get(response);
  if (status === 'replied' && chosen)
    return { behavior: 'allow', reason: 'A person allowed it.', permissions: [chosen.suggestion] };
  if (status === 'replied' && response !== 'Deny') return deny(`A person answered: ${response}`);
  if (status === 'expired') return onTimeout(options);
  return deny(status === 'canceled' ? 'The question was canceled.' : 'A person denied it.');
}

const onTimeout = ({ onTimeout: behavior, timeout }: Options): Decision => ({
  behavior,
  reason: `Nobody answered within ${timeout} s.`,
});

async function decided(
  context: Context,
  host: HostName,
  options: Options,
  givenUp: AbortSignal,
): Promise<Decision | undefined> {
  const event = hosts[host].read(await payloadOf(process.stdin));
  if (event === undefined) return deny('Carillon does not know this event.');
  if (event.kind === 'permission') return decide(context, event, options, givenUp);
  const sent = context.client().post('/notifications', {
    body: { title: event.title, body: [...visible(masked(event.body))].slice(0, 4_000).join('') },
    params: idempotent(),
  });
  // It blocks nothing: a failure is told, and no more.
  await sent.catch((error: unknown) => context.say(`carillon: ${endOf(error)?.words ?? String(error)}`));
  return undefined;
}

/**
 * Answers in the host's form whatever happens: what is not allowed by a person is denied. A hook that breaks denies
 * first, and then takes its prompt from the phones, if it still can.
 */
async function run(context: Context, host: HostName, options: Options): Promise<void> {
  const givenUp = new AbortController();
  whenAbandoned(() => givenUp.abort());
  let isTold = false;
  const tell = (decision: Decision | undefined): void => {
    const answer = decision && hosts[host].answer(decision);
    if (answer && !isTold) process.stdout.write(`${JSON.stringify(answer)}\n`);
    isTold = true;
  };
  process.on('uncaughtException', (error) => {
    if (isTold) process.exit(exits.done);
    tell(deny(`Carillon failed: ${error.message}`));
    givenUp.abort();
    setTimeout(() => process.exit(exits.done), brokenMs).unref();
  });
  let decision: Decision | undefined;
  try {
    decision = await decided(context, host, options, givenUp.signal);
  } catch (error) {
    const words = wordsOf(error);
    context.say(`carillon: ${words}`);
    const isLate = endOf(error)?.exit === exits.noAnswer && !givenUp.signal.aborted;
    decision = isLate ? onTimeout(options) : deny(`Carillon could not ask: ${words}`);
  }
  tell(decision);
}

export const withOptions = (command: Command): Command =>
  command
    .option('--timeout <seconds>', 'how long to wait for a person', whole(30, 3_600), defaultWait)
    .addOption(
      new Option('--on-timeout <what>', 'what no answer means').choices(['deny', 'ask']).default('deny'),
    )
    .option('--remember', "offer the agent's own rules as choices (Claude Code)");

export function addHook(program: Command, context: Context): void {
  withOptions(program.command('hook'))
    .description('answer a coding agent that asks for permission; the agent runs it')
    .addArgument(new Argument('<host>', 'the agent').choices(hostNames))
    .action((host: HostName, options: Options) => run(context, host, options));
}
