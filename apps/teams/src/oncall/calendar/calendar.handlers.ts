import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  CalendarByHash,
  Calendars,
  type CalendarUrl,
  Nothing,
  type Ok,
  OncallGroupById,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { cell, Clock, metadataOf, secret, setting } from '@carillon/runtime';
import { hashSecret, mintSecret, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { OncallGroups } from '../group/oncall-groups.service';
import { memberOf } from '../../team/team';
import { type Calendar, calendars, closeCalendar, openCalendar } from './calendars';
import { CalendarFeeds } from './calendars.service';

@Controller()
export class CalendarHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();
  private readonly base = `${setting('CARILLON_BASE_URL').replace(/\/+$/, '')}/calendar`;

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(CalendarFeeds) private readonly feeds: CalendarFeeds,
  ) {}

  @Handles(Calendars.open)
  async open({ groupId }: OncallGroupById, context: Context): Promise<Answer<CalendarUrl>> {
    const { accountId } = context.caller;
    const { team } = await this.groups.find(groupId, accountId);
    const memberSince = memberOf(team, accountId)?.joinedAt ?? null;
    return this.openAs({ groupId, teamId: team.teamId, memberSince }, context);
  }

  @Handles(Calendars.openOwn)
  async openOwn(_: Nothing, context: Context): Promise<Answer<CalendarUrl>> {
    return this.openAs({ groupId: null, teamId: null, memberSince: null }, context);
  }

  /** Also closes the calendar of a deleted group. */
  @Handles(Calendars.close)
  async close({ groupId }: OncallGroupById, context: Context): Promise<Answer<Ok>> {
    return this.closeAs(groupId, context);
  }

  @Handles(Calendars.closeOwn)
  async closeOwn(_: Nothing, context: Context): Promise<Answer<Ok>> {
    return this.closeAs(null, context);
  }

  @Handles(Calendars.read)
  async read({ hash }: CalendarByHash): Promise<Answer<{ text: string }>> {
    return answer({ text: await this.feeds.read(hash) });
  }

  private async openAs(of: Omit<Calendar, 'hash'>, context: Context): Promise<Answer<CalendarUrl>> {
    const { accountId } = context.caller;
    const { secret: minted } = mintSecret('carillon_cal_', this.cell);
    const { position } = await this.log.transact(
      calendars,
      streamTail(accountId),
      openCalendar({ ...of, accountId, hash: hashSecret(this.pepper, minted), at: this.clock.now() }),
      metadataOf(context),
    );
    return answer({ url: `${this.base}/${minted}.ics` }, position);
  }

  private async closeAs(groupId: string | null, context: Context): Promise<Answer<Ok>> {
    const { accountId } = context.caller;
    const { position } = await this.log.transact(
      calendars,
      streamTail(accountId),
      closeCalendar({ accountId, groupId, at: this.clock.now() }),
      metadataOf(context),
    );
    return answer({ ok: true }, position);
  }
}
