import { deviceGroupEventTypes, domainEventTypes, inviteEventTypes, type Streams } from '@carillon/contracts';
import {
  type Handled,
  ignore,
  ignoring,
  inBatch,
  type On,
  Projection,
  type Sql,
} from '@carillon/event-store';
import { isOf, type Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { lateOf, noteBack, noteGone } from './gone.entity';
import { namesOf } from './page';
import { PageCommands } from './page-commands.worker';
import { PageRetention } from './page-retention.worker';
import { dropPages, unreachedBy, writePages } from './page-row.entity';
import { rowChanges, type RowEvent } from './page-rows';

type Followed = Streams<'page' | 'team' | 'delivery'>;
const on = {
  page: {
    PageTriggered: inBatch,
    PageNotified: inBatch,
    PageRepeated: ignore,
    PageAcknowledged: inBatch,
    PageWithdrawn: ignore,
    PageResolved: inBatch,
    PageForgotten: inBatch,
  },
  team: {
    ...ignoring(
      'TeamCreated',
      'MemberRoleChanged',
      'OwnershipTransferred',
      'OncallGroupCreated',
      'OncallGroupChanged',
      'OncallGroupEmptied',
      'OverrideCreated',
      'OverrideDeleted',
      ...inviteEventTypes,
      ...deviceGroupEventTypes,
      ...domainEventTypes,
    ),
    TeamChanged: inBatch,
    TeamDeleted: inBatch,
    MemberJoined: inBatch,
    MemberLeft: inBatch,
    MemberRemoved: inBatch,
    OncallGroupDeleted: inBatch,
  },
  delivery: {
    PushReported: inBatch,
    PushCleared: ignore,
  },
} satisfies On<Followed>;
type PageRowEvent = Handled<Followed, typeof on>;

/**
 * Projects the pages, schedules the next step of each, and enqueues the commands that are due at once: the next step
 * when no device was reached, the withdrawal of pages from a leaver, and the end of the pages of a deleted group or
 * team (ADR 33).
 */
@Injectable()
export class PagesProcess extends Projection<Followed, typeof on> {
  readonly name = 'pages';
  override readonly immediate = true;
  readonly tables = ['pages', 'page_pushes', 'gone_from_teams'];
  readonly on = on;

  constructor(
    @Inject(PageCommands) private readonly commands: PageCommands,
    @Inject(PageRetention) private readonly retention: PageRetention,
  ) {
    super();
  }

  /** Skips pushes that belong to no page, which are most of them. */
  override concerns({ event }: Recorded<PageRowEvent>): boolean {
    return event.type !== 'PushReported' || (event.final && event.subjectId.startsWith('psh_'));
  }

  /**
   * Applies page events first: push reports and team events are evaluated against the pages at the end of the batch.
   * The decisions ignore any command that is superfluous because of that.
   */
  override async apply(sql: Sql, events: readonly Recorded<PageRowEvent>[]): Promise<void> {
    const changes = rowChanges(events.flatMap(({ event }) => (isOfPage(event) ? [event] : [])));
    await writePages(sql, changes);
    const steps = new Map(
      events.flatMap((recorded) =>
        recorded.event.type === 'PageNotified' ? [[recorded.event.pageId, recorded] as const] : [],
      ),
    );
    const next = changes.flatMap(({ step, ...of }) => {
      const from = steps.get(of.pageId);
      if (!from || !step?.nextEscalationAt) return [];
      return [{ of: { ...namesOf(of), step: step.step }, at: step.nextEscalationAt, from }];
    });
    await this.commands.setNext(sql, next);
    const going = new Set(next.map(({ of }) => of.pageId));
    await this.commands.cancelNext(
      sql,
      changes.flatMap(({ pageId }) => (going.has(pageId) ? [] : [pageId])),
    );
    for (const { of, gone } of await lateOf(sql, changes)) {
      const from = steps.get(of.pageId);
      if (!from) continue;
      if (gone.what === 'member') await this.commands.takeFromLeaver(sql, [of], gone.id, from);
      else
        await this.commands.close(sql, [of], gone.what === 'team' ? 'team_deleted' : 'group_deleted', from);
    }
    await this.forget(sql, events);
    await this.report(sql, events);
    for (const recorded of events) await this.followTeam(sql, recorded);
  }

  private async forget(sql: Sql, events: readonly Recorded<PageRowEvent>[]): Promise<void> {
    const forgotten: string[] = [];
    for (const recorded of events) {
      const { event, revision } = recorded;
      if (event.type !== 'PageForgotten') continue;
      forgotten.push(event.pageId);
      await this.retention.cut(sql, event.pageId, revision, recorded);
    }
    await dropPages(sql, forgotten);
  }

  private async report(sql: Sql, events: readonly Recorded<PageRowEvent>[]): Promise<void> {
    const reports = new Map(
      events.flatMap((recorded) =>
        recorded.event.type === 'PushReported' ? [[recorded.event.subjectId, recorded] as const] : [],
      ),
    );
    const told = [...reports.values()].flatMap(({ event }) => (event.type === 'PushReported' ? [event] : []));
    const unreached = (await unreachedBy(sql, told)).flatMap(({ pushId, ...of }) => {
      const from = reports.get(pushId);
      return from ? [{ of, from }] : [];
    });
    await this.commands.runUnreached(sql, unreached);
  }

  private async followTeam(sql: Sql, recorded: Recorded<PageRowEvent>): Promise<void> {
    const { event } = recorded;
    switch (event.type) {
      case 'MemberJoined':
        await noteBack(sql, { teamId: event.teamId, what: 'member', id: event.accountId });
        return;
      case 'MemberLeft':
      case 'MemberRemoved': {
        const { teamId, accountId } = event;
        const at = event.type === 'MemberLeft' ? event.leftAt : event.removedAt;
        await noteGone(sql, { teamId, what: 'member', id: accountId }, at);
        await this.commands.takeAllFromLeaver(sql, { teamId, accountId }, recorded);
        return;
      }
      case 'OncallGroupDeleted': {
        const { teamId, groupId } = event;
        await noteGone(sql, { teamId, what: 'group', id: groupId }, event.deletedAt);
        await this.commands.closeAll(sql, { teamId, groupId }, 'group_deleted', recorded);
        return;
      }
      case 'TeamChanged':
        if (typeof event.retentionDays === 'number') await this.retention.look(sql, event.teamId, recorded);
        return;
      case 'TeamDeleted': {
        await noteGone(sql, { teamId: event.teamId, what: 'team', id: event.teamId }, event.deletedAt);
        await this.commands.closeAll(sql, { teamId: event.teamId }, 'team_deleted', recorded);
        return;
      }
    }
  }
}

const isOfPage = (event: PageRowEvent): event is RowEvent =>
  isOf(event, 'PageTriggered', 'PageNotified', 'PageAcknowledged', 'PageResolved');
