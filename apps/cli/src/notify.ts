import type { Command } from 'commander';
import type { Context } from './context';
import { Ended, exits } from './exits';
import { id, idempotent, key, link, text } from './inputs';

interface Options {
  readonly title?: string;
  readonly url?: string;
  readonly markdown?: boolean;
  readonly project?: string;
  readonly group?: string;
  readonly idempotencyKey?: string;
}

const noDevice = 'No device has accepted it.';

export function addNotify(program: Command, context: Context): void {
  program
    .command('notify')
    .description('tell a person something')
    .argument('<body>', 'the text', text(8_000, 'lines'))
    .option('--title <title>', 'its title', text(120))
    .option('--url <url>', 'where a tap leads', link)
    .option('--markdown', 'the text is Markdown')
    .option('--project <id>', 'a label by which the inbox groups', id)
    .option('--group <id>', 'a device group instead of your own devices', id)
    .option('--idempotency-key <key>', 'sent again with it, it is done once', key)
    .action(
      async (
        body: string,
        { title = 'Notification', url, markdown, project, group, idempotencyKey }: Options,
      ) => {
        const sent = await context.client().post('/notifications', {
          body: {
            title,
            body,
            ...(url !== undefined && { url }),
            ...(markdown && { bodyFormat: 'markdown' }),
            ...(project !== undefined && { projectId: project }),
            ...(group !== undefined && { deviceGroupId: group }),
          },
          params: idempotent(idempotencyKey),
        });
        context.result(sent, `Accepted for ${sent.accepted} devices.`);
        if (sent.accepted === 0) throw new Ended(exits.nothingAccepted, `${noDevice} It is in the inbox.`);
      },
    );
}

export function addPage(program: Command, context: Context): void {
  program
    .command('page')
    .description('page who is on call')
    .argument('<group>', 'the id of the on-call group', id)
    .argument('<title>', 'what has happened', text(120))
    .option('--body <text>', 'more about it', text(4_000, 'lines'))
    .option('--url <url>', 'where a tap leads', link)
    .option('--dedup-key <key>', 'while a page with it is open, it absorbs this one', key)
    .action(
      async (groupId: string, title: string, options: { body?: string; url?: string; dedupKey?: string }) => {
        const sent = await context.client().post('/oncall/{groupId}/pages', {
          body: { title, ...options, dedupKey: options.dedupKey ?? crypto.randomUUID() },
          params: { path: { groupId }, ...idempotent() },
        });
        context.result(
          sent,
          sent.deduplicated ? `Page ${sent.page.id} is open already.` : `Paged: ${sent.page.id}`,
        );
        if (sent.accepted === 0 && !sent.deduplicated) throw new Ended(exits.nothingAccepted, noDevice);
      },
    );
}
