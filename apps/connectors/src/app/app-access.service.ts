import type { Context } from '@carillon/bus';
import type { AppEvent } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { Decide } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { asViewer, type ViewedApp, type Judged } from './access';
import { app, type AppState, there } from './app';
import { AppReturns } from './app-returns.service';
import { AppTeams } from './teams.client';

/** Finds apps for callers. The logs of app and team decide on access. */
@Injectable()
export class AppAccess {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AppTeams) private readonly teams: AppTeams,
    @Inject(AppReturns) private readonly returns: AppReturns,
  ) {}

  /**
   * The app as the viewer sees it; the viewer is the caller by default. Refused `app.unknown` without access. The teams
   * service is asked only for an app of a team.
   */
  async find(id: string, context: Context, accountId = context.caller.accountId): Promise<ViewedApp> {
    return (await this.look(id, context, accountId)).found;
  }

  /** As `find`, before a change: an app that has returned to the account that added it gets that event first. */
  async findToChange(id: string, context: Context): Promise<ViewedApp> {
    const { found, movedTo } = await this.look(id, context, context.caller.accountId);
    if (found.app.teamId !== null || movedTo === null) return found;
    const metadata = metadataOf(context, found.app.addedBy);
    const commandId = uuidV5(context.commandId, `${id} comes back`);
    await this.returns.bringBack(id, found.app.moves - 1, context, { ...metadata, commandId });
    return this.find(id, context);
  }

  /** And the team that the log has it in, whether it still stands there or not. */
  private async look(
    id: string,
    context: Context,
    accountId: string,
  ): Promise<{ readonly found: ViewedApp; readonly movedTo: string | null }> {
    const { state } = await this.log.load(app, streamTail(id));
    const movedTo = there(state)?.teamId ?? null;
    const team = movedTo === null ? undefined : await this.teams.find(movedTo, accountId, context);
    return { found: asViewer(state, team, { id, accountId }), movedTo };
  }

  /** As decisions take it. */
  judged({ app: { id, moves } }: ViewedApp): Judged {
    return { id, moves, at: this.clock.now() };
  }

  /** Events of an app belong to the account that added it, not to the caller. */
  async decide(
    { app: { id, addedBy } }: ViewedApp,
    decide: Decide<AppState, AppEvent>,
    context: Context,
    step = '',
  ): Promise<{ readonly state: AppState; readonly position: bigint }> {
    const { commandId, ...metadata } = metadataOf(context, addedBy);
    return this.log.transact(app, streamTail(id), decide, {
      ...metadata,
      commandId: step === '' ? commandId : uuidV5(commandId, step),
    });
  }
}
