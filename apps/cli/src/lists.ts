import type { Command } from 'commander';
import type { Context } from './context';
import { whole } from './inputs';

const rows = (lines: readonly string[], nothing: string): string =>
  lines.length > 0 ? lines.join('\n') : nothing;

export function addLists(program: Command, context: Context): void {
  const { style } = { style: context.style.bind(context) };
  program
    .command('inbox')
    .description('what has reached you, the newest first')
    .option('--limit <number>', 'how many at most', whole(1, 100), 20)
    .action(async ({ limit }: { limit: number }) => {
      const page = await context.client().get('/inbox/notifications', { params: { query: { limit } } });
      const lines = page.items.map(
        ({ title, preview, createdAt }) => `${style('dim', createdAt)}  ${style('bold', title)}  ${preview}`,
      );
      context.result(page, rows(lines, 'The inbox is empty.'));
    });
  program
    .command('services')
    .description('the senders that have a URL of their own')
    .option('--limit <number>', 'how many at most', whole(1, 100), 50)
    .action(async ({ limit }: { limit: number }) => {
      const page = await context.client().get('/services', { params: { query: { limit } } });
      const lines = page.services.map(({ id, title }) => `${id}  ${style('bold', title)}`);
      context.result(page, rows(lines, 'There are no services.'));
    });
  program
    .command('oncall')
    .description('your own shifts and open pages')
    .action(async () => {
      const own = await context.client().get('/oncall/me');
      const shifts = own.shifts.map((shift) => `${shift.startsAt} to ${shift.endsAt}  ${shift.groupId}`);
      const pages = own.pages.map((page) => `${page.id}  ${style('bold', page.title)}  ${page.status}`);
      context.result(own, rows([...shifts, ...pages], 'You are not on call, and there are no open pages.'));
    });
}
