import type { Interaction } from '@carillon/client';
import { type Command, Option } from 'commander';
import type { Context } from '../context';
import { Ended, exits } from '../exits';
import { id, key, link, several, text, whole } from '../inputs';
import { asking, untilEnded } from './asking';

interface Options {
  readonly title?: string;
  readonly kind?: Interaction['kind'];
  readonly choice?: string[];
  readonly timeout: number;
  readonly url?: string;
  readonly project?: string;
  readonly group?: string;
  readonly idempotencyKey?: string;
}

/** How a prompt has ended, for a script: by nothing where it was answered well. */
function endOfPrompt({ status, id: prompt }: Interaction): Ended | undefined {
  if (status === 'denied' || status === 'no') return new Ended(exits.denied, `The answer is ${status}.`);
  if (status === 'canceled' || status === 'expired')
    return new Ended(exits.noAnswer, `There is no answer: ${prompt} is ${status}.`);
  return undefined;
}

export function addAsk(program: Command, context: Context): void {
  program
    .command('ask')
    .description('ask a person and wait for the answer')
    .argument('<prompt>', 'the question', text(4_000, 'lines'))
    .option('--title <title>', 'its title', text(120))
    .addOption(
      new Option('--kind <kind>', 'what is answered; approval unless said').choices([
        'approval',
        'yes_no',
        'reply',
      ]),
    )
    .addOption(several('--choice <text>', 'a text to choose from, for a reply; up to 6', text(60)))
    .option('--timeout <seconds>', 'how long to wait', whole(30, 604_800), 3_600)
    .option('--url <url>', 'where the person can read more', link)
    .option('--project <id>', 'a label by which the inbox groups', id)
    .option('--group <id>', 'a device group instead of your own devices', id)
    .option('--idempotency-key <key>', 'asked again with it, it waits for the same prompt', key)
    .action(async (prompt: string, options: Options) => {
      const { title = 'Question', choice, timeout, url, project, group, idempotencyKey } = options;
      const kind = options.kind ?? (choice ? 'reply' : 'approval');
      if (choice && kind !== 'reply')
        throw new Ended(exits.usage, "error: option '--choice' needs '--kind reply'");
      if (choice && (choice.length > 6 || new Set(choice).size < choice.length))
        throw new Ended(exits.usage, "error: option '--choice' may come 6 times, each with another text");
      const interaction = await asking(
        context.client(),
        {
          title,
          prompt,
          kind,
          expiresInSeconds: timeout,
          ...(choice && { choices: choice }),
          ...(url !== undefined && { url }),
          ...(project !== undefined && { projectId: project }),
          ...(group !== undefined && { deviceGroupId: group }),
        },
        {
          idempotencyKey,
          givenUp: untilEnded(),
          onAsked: (asked, accepted) => context.say(`Asked on ${accepted} devices: ${asked.id}`),
        },
      );
      context.result({ interaction }, interaction.response ?? interaction.status);
      const end = endOfPrompt(interaction);
      if (end) throw end;
    });
}
