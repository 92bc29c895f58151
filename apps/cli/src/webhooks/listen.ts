import type { Client, MessageGap } from '@carillon/client';
import { type Command, InvalidArgumentError } from 'commander';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context';
import { Ended, exits, wordsOf } from '../exits';
import { id, whole } from '../inputs';
import { Cursor } from './cursors';
import { forward, NotForwarded } from './forward';

const longestPauseSeconds = 30;
/** A server that is away is told of once in this time. */
const toldEveryMs = 60_000;

interface Options {
  readonly forwardTo: URL;
  readonly after?: number;
}

/** Where messages are forwarded to. */
function receiver(value: string): URL {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.hash)
    throw new InvalidArgumentError('It must be an address such as http://localhost:3000/webhooks.');
  return url;
}

export function addWebhooks(program: Command, context: Context): void {
  program
    .command('webhooks')
    .description('what reply webhooks are sent')
    .command('listen')
    .description('forward the messages of a reply webhook to a program on this machine, until it is ended')
    .argument('[webhook]', 'its id; not needed where there is only one', id)
    .requiredOption('--forward-to <url>', 'where to: http or https', receiver)
    .option(
      '--after <number>',
      'begin after this number, not where the last run ended',
      whole(0, 999_999_999_999_999),
    )
    .action((webhook: string | undefined, options: Options) => listen(context, webhook, options));
}

/** The one that is named, or the only one of the account. */
async function chosen(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const { webhooks } = await client.get('/webhooks', { params: { query: { limit: 10 } } });
  const [first, ...others] = webhooks.map((each) => each.id);
  if (first === undefined) throw new Ended(exits.usage, 'There is no reply webhook.');
  if (others.length > 0)
    throw new Ended(exits.usage, `Name one of the reply webhooks: ${[first, ...others].join(', ')}`);
  return first;
}

async function listen(context: Context, named: string | undefined, options: Options): Promise<never> {
  const { url } = context.signIn();
  const client = context.client();
  const webhookId = await chosen(client, named);
  const cursor = new Cursor(dirname(context.credentials.file), url, webhookId);
  let after = options.after ?? cursor.read();
  // What is wrong from the start ends the command, before it waits for a server that comes back.
  const query = { timeoutSeconds: 0, ...(after !== undefined && { after }) };
  await client.get('/webhooks/{id}/messages', { params: { path: { id: webhookId }, query } });
  const { forwardTo } = options;
  context.say(`Forwarding ${webhookId} to ${forwardTo.href}`);

  let toldAt = -Infinity;
  const onRetry = (error: unknown): void => {
    if (performance.now() - toldAt < toldEveryMs) return;
    toldAt = performance.now();
    context.say(`Asking the server again: ${wordsOf(error)}`);
  };
  const onCursor = (next: number): void => cursor.write((after = next));
  const onGap = ({ from, to }: MessageGap): void =>
    context.say(`Gap: ${from === to ? `message ${from} is` : `messages ${from} to ${to} are`} gone.`);
  for (let failures = 0; ;) {
    const begin = after === undefined ? {} : { after };
    try {
      for await (const message of client.messages(webhookId, { ...begin, onCursor, onGap, onRetry })) {
        const { sequence, id: messageId } = message;
        const status = await forward(forwardTo, message).catch((error: unknown) => {
          throw error instanceof NotForwarded
            ? new NotForwarded(`message ${sequence}: ${error.message}`)
            : error;
        });
        failures = 0;
        context.result({ sequence, id: messageId, status }, `${sequence}  ${messageId}  ${status}`);
      }
    } catch (error) {
      if (!(error instanceof NotForwarded)) throw error;
      const seconds = Math.min(longestPauseSeconds, 2 ** failures);
      failures += 1;
      context.say(`Not forwarded, trying again in ${seconds} s: ${error.message}`);
      // Then it is read again, since its signature is only good for some minutes.
      await pause(seconds * 1_000);
    }
  }
}
