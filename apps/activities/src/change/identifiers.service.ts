import type { Context } from '@carillon/bus';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { isId } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { Starter } from '../admission/starter.service';
import { board, runningUnder } from '../board/board';

/** Resolves the identifier in the path to an activity: an id, or a key of the caller's token. */
@Injectable()
export class Identifiers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Starter) private readonly starter: Starter,
  ) {}

  /** Tries an id first, then the running activity with this key of the token, then the latest one with it. */
  async idOf(identifier: string, context: Context): Promise<string> {
    const { accountId, tokenId } = context.caller;
    if (isId(identifier, 'act') && (await this.starter.known(identifier))?.activityId === identifier)
      return identifier;
    if (tokenId === undefined) throw new Refused('activity.not_found');
    const { state } = await this.log.load(board, accountId);
    const running = runningUnder(state, { tokenId, key: identifier, at: this.clock.now() });
    if (running) {
      // The process that admitted it may have crashed before beginning it.
      if (!(await this.starter.known(running.activityId)))
        await this.starter.begin(running, metadataOf(context));
      return running.activityId;
    }
    // Waits for the projection, so that an activity that has just ended is found.
    await this.projections.reached('activities', String(await this.log.store.head()), accountId);
    const [latest] = await this.database.query<{ activity_id: string }>(
      `SELECT activity_id FROM activities WHERE token_id = $1 AND key = $2 AND account_id = $3
       ORDER BY created_at DESC, activity_id DESC LIMIT 1`,
      [tokenId, identifier, accountId],
    );
    if (!latest) throw new Refused('activity.not_found');
    return latest.activity_id;
  }
}
