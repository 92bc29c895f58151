import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { PullMessages, type PulledMessages, type ReplyQueued, Webhooks } from '@carillon/contracts';
import { Log, Projections, type RawEvent } from '@carillon/event-store';
import { isBefore, plus, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { outbox } from '../outbox/outbox';
import { bodyOf } from '../payload/payload';
import { readTold } from '../payload/told.service';
import { ReplySender } from '../reply/sender.client';
import { visible, type Webhook, webhook } from '../webhook/webhook';
import { firstRecent, type Numbered, pageLength, pageOf, readableMs } from './messages';

/** Reads messages from the outbox in the log, which has them whatever becomes of their deliveries. */
@Controller()
export class MessageHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(ReplySender) private readonly sender: ReplySender,
  ) {}

  @Handles(Webhooks.messages)
  async messages({ id, after }: PullMessages, context: Context): Promise<Answer<PulledMessages>> {
    const { state } = await this.log.load(webhook, streamTail(id));
    const to = visible(state, { id, accountId: context.caller.accountId });
    await this.projections.reached('outbox', context.after, to.accountId);
    const lowest = (after ?? 0) + 1;
    let queued = await this.queued(id, lowest, pageLength);
    if (!this.isRecent(queued[0])) {
      const newest = await this.newest(id);
      if (after !== undefined && after > newest) throw neverUsed(newest);
      const first = await firstRecent(lowest, newest, async (sequence) =>
        this.isRecent((await this.queued(id, sequence, 1))[0]),
      );
      if (first > newest) return answer(pageOf(after ?? newest, [{ sequence: newest, message: undefined }]));
      queued = await this.queued(id, first, pageLength);
    }
    const before = after ?? (queued[0]?.sequence ?? 1) - 1;
    return answer(pageOf(before, await Promise.all(queued.map((each) => this.numbered(to, each)))));
  }

  private isRecent(queued: ReplyQueued | undefined): boolean {
    return queued !== undefined && !isBefore(queued.queuedAt, plus(this.clock.now(), -readableMs));
  }

  private async numbered(
    to: Webhook,
    { sequence, messageId: id, interactionId }: ReplyQueued,
  ): Promise<Numbered> {
    const found = await readTold(this.log, interactionId);
    if (!found) return { sequence, message: undefined };
    const body = bodyOf(to.preset, found.told);
    // The real time, as of a delivery: the receiver compares it with its own.
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      ...this.sender.signedHeaders(to, { id, body }, timestamp),
      'carillon-sequence': String(sequence),
    };
    return { sequence, message: { sequence, id, timestamp, headers, body } };
  }

  /** The entries of the outbox from a number on. */
  private async queued(id: string, from: number, count: number): Promise<ReplyQueued[]> {
    return this.opened(await this.log.store.read(streamOf(id), BigInt(from - 1), count));
  }

  /** The number of the newest entry; 0 when there is none. */
  private async newest(id: string): Promise<number> {
    const last = await this.log.store.readLast(streamOf(id));
    const [entry] = await this.opened(last ? [last] : []);
    return entry?.sequence ?? 0;
  }

  private async opened(events: readonly RawEvent[]): Promise<ReplyQueued[]> {
    return (await this.log.open(events)).map(({ event }) => event as ReplyQueued);
  }
}

const streamOf = (webhookId: string): string => `${outbox.category}-${streamTail(webhookId)}`;

const neverUsed = (newest: number): Refused =>
  new Refused('input.invalid', {
    issues: [
      {
        path: 'after',
        message: `must be ${newest} at most: there is no message after that yet`,
        code: 'invalid_value',
      },
    ],
  });
