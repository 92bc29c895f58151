import { type Command, Option } from 'commander';
import type { Context } from '../context';
import { id, idempotent, link, share, text, whole } from '../inputs';
import { runCommand } from './run';

interface Props {
  readonly title?: string;
  readonly status?: string;
  readonly detail?: string;
  readonly progress?: number;
  readonly state?: 'running' | 'waiting' | 'success' | 'warning' | 'error';
  readonly url?: string;
}

const withProps = (command: Command): Command =>
  command
    .option('--status <text>', 'a short status', text(40))
    .option('--detail <text>', 'more about it', text(240, 'lines'))
    .option('--progress <share>', 'such as 0.4 or 40%', share)
    .addOption(
      new Option('--state <state>', 'tint and glyph').choices([
        'running',
        'waiting',
        'success',
        'warning',
        'error',
      ]),
    )
    .option('--url <url>', 'where a tap leads', link);

export function addActivity(program: Command, context: Context): void {
  const activity = program.command('activity').description('progress on the lock screen');
  withProps(activity.command('start'))
    .description('start one')
    .argument('<title>', 'its title', text(100))
    .option('--key <key>', 'a name for it, accepted instead of its id', id)
    .action(async (title: string, { key: name, ...props }: Props & { key?: string }) => {
      const started = await context.client().post('/activities', {
        body: { props: { ...props, title }, ...(name !== undefined && { key: name }) },
        params: idempotent(),
      });
      context.result(started, started.activity.id);
    });
  withProps(activity.command('update'))
    .description('change it')
    .argument('<activity>', 'its id or key', id)
    .option('--title <title>', 'another title', text(100))
    .action(async (identifier: string, props: Props) => {
      const changed = await context.client().patch('/activities/{identifier}', {
        body: { props },
        params: { path: { identifier }, ...idempotent() },
      });
      context.result(changed, changed.activity.id);
    });
  withProps(activity.command('end'))
    .description('end it')
    .argument('<activity>', 'its id or key', id)
    .option('--dismiss-after <seconds>', 'how long the phone may still show it', whole(0, 14_400))
    .action(async (identifier: string, { dismissAfter, ...props }: Props & { dismissAfter?: number }) => {
      const ended = await context.client().post('/activities/{identifier}/end', {
        body: {
          ...(Object.keys(props).length > 0 && { props }),
          ...(dismissAfter !== undefined && { dismissAfterSeconds: dismissAfter }),
        },
        params: { path: { identifier }, ...idempotent() },
      });
      context.result(ended, ended.activity.id);
    });
  activity
    .command('run')
    .description('run a command, show its progress, and tell how it ended')
    .argument('<command...>', 'the command, after --')
    .option('--title <title>', 'its title; the name of the command unless said', text(100))
    .action(async ([command = '', ...args]: string[], { title }: { title?: string }) => {
      process.exitCode = await runCommand(context, command, args, title);
    });
}
