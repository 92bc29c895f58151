import type { EventReceived, NotificationEvent, PushReported, Streams } from '@carillon/contracts';
import { type Handled, ignore, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import { grouped, type Instant, isBefore, type Recorded } from '@carillon/eventing';
import { Clock, keepDays, keptSince } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DeletedInboxes, inboxTables } from './deleted-inboxes.worker';
import { ForgottenItems } from './forgotten-items.worker';
import { itemsOf } from './item';
import { addItems } from './items.entity';
import { mark } from './marks.entity';
import { nameProject, renameProject } from './project-names.entity';
import { countItems } from './projects.entity';
import { withdraw } from './read.entity';
import { report } from './reports.entity';

type Followed = Streams<
  'notification' | 'event' | 'service' | 'delivery' | 'inbox' | 'interaction' | 'account'
>;
const on = {
  notification: {
    NotificationSent: inBatch,
    NotificationWithdrawn: inBatch,
  },
  event: {
    EventReceived: inBatch,
  },
  service: {
    ServiceCreated: ignore,
    ServiceChanged: inBatch,
    ServiceShared: ignore,
    HookRotated: ignore,
    ServiceDeleted: ignore,
  },
  delivery: {
    PushReported: inBatch,
    PushCleared: ignore,
  },
  inbox: {
    InboxItemRead: inBatch,
    InboxItemsRead: inBatch,
    InboxItemUnread: inBatch,
    InboxReadThrough: inBatch,
  },
  interaction: {
    InteractionAsked: inBatch,
    InteractionAnswered: ignore,
    InteractionCanceled: ignore,
    InteractionExpired: ignore,
  },
  account: {
    AccountOpened: ignore,
    ProfileChanged: ignore,
    PasswordChanged: ignore,
    PasswordRemoved: ignore,
    PasskeyAdded: ignore,
    PasskeyUsed: ignore,
    PasskeyDisabled: ignore,
    PasskeyRemoved: ignore,
    IdentityLinked: ignore,
    IdentityUnlinked: ignore,
    EmailVerified: ignore,
    AccountSuspended: ignore,
    OperatorChanged: ignore,
    AccountResumed: ignore,
    AccountDeleted: inBatch,
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;
type FiledEvent = Handled<Followed, typeof on>;
/** Events that can be applied in any order. */
type Commuting = NotificationEvent | EventReceived | PushReported;

/** Projects the inbox of every account: its items, its projects with counts, and the revision of its marks. */
@Injectable()
export class InboxProjection extends Projection<Followed, typeof on> {
  readonly name = 'inbox';
  override readonly partitioned = 'accounts';
  readonly tables = inboxTables;
  readonly on = on;

  private readonly keptDays = keepDays();

  constructor(
    @Inject(DeletedInboxes) private readonly deleted: DeletedInboxes,
    @Inject(ForgottenItems) private readonly forgotten: ForgottenItems,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<FiledEvent>): string {
    return event.accountId;
  }

  /** Pushes of prompts and pages are not items. */
  override concerns({ event }: Recorded<FiledEvent>): boolean {
    return event.type !== 'PushReported' || /^(anot|evt)_/.test(event.subjectId);
  }

  /**
   * Items and outcomes are written together, since they commute; a mark or a new name depends on what came before it,
   * so the batch is cut there. That keeps the rows independent of how the log was cut into batches. What is past its
   * time gets no row and is not counted.
   */
  override async apply(sql: Sql, events: readonly Recorded<FiledEvent>[]): Promise<void> {
    const oldest = keptSince(this.clock.now(), this.keptDays);
    let run: Recorded<Commuting>[] = [];
    const cut = async (): Promise<void> => {
      await applyRun(sql, run, oldest);
      run = [];
    };
    for (const recorded of events) {
      const { event, revision } = recorded;
      switch (event.type) {
        case 'ServiceChanged':
          await cut();
          await renameProject(sql, event);
          break;
        case 'InteractionAsked':
          if (event.projectId === null || isBefore(event.askedAt, oldest)) break;
          await cut();
          await nameProject(sql, event);
          break;
        case 'InboxItemRead':
        case 'InboxItemsRead':
        case 'InboxItemUnread':
        case 'InboxReadThrough':
          await cut();
          await mark(sql, { ...event, revision });
          break;
        case 'AccountDeleted':
          await cut();
          await this.deleted.forget(sql, event.accountId, recorded);
          break;
        case 'AccountForgotten':
          await cut();
          await this.deleted.forget(sql, event.accountId, recorded);
          await this.forgotten.forget(sql, event.accountId, recorded);
          break;
        case 'EventReceived':
          // An event over a limit reached no inbox.
          if (event.limitedBy === null) run.push({ ...recorded, event });
          break;
        case 'NotificationSent':
        case 'NotificationWithdrawn':
        case 'PushReported':
          run.push({ ...recorded, event });
          break;
        default:
          event satisfies never;
      }
    }
    await cut();
  }
}

async function applyRun(sql: Sql, run: readonly Recorded<Commuting>[], oldest: Instant): Promise<void> {
  const { sent, reported, withdrawn } = grouped(run, {
    sent: ['NotificationSent', 'EventReceived'],
    reported: ['PushReported'],
    withdrawn: ['NotificationWithdrawn'],
  });
  const items = sent.flatMap(itemsOf).filter(({ at }) => !isBefore(at, oldest));
  await addItems(sql, items);
  await countItems(sql, items);
  await report(sql, reported);
  for (const event of withdrawn) await withdraw(sql, event);
}
