import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { AccountById, Accounts } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, remove } from '../account/account';
import { Revocations } from '../revocation/revocations.process';
import { sessionsWithEnds } from '../session/sessions.entity';
import { Sessions } from '../session/sessions.service';
import { revoke, token } from '../token/token';

/** Deletes accounts for good. */
@Controller()
export class DeletionHandlers {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Revocations) private readonly revocations: Revocations,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  /**
   * The account is closed first, so that it allows no sign-in; then its tokens and sessions end. A repeated command
   * continues where the former one stopped, also in a log that was restored from a backup.
   */
  @Handles(Accounts.remove)
  async remove({ accountId }: AccountById, context: Context): Promise<Answer<{ ok: true }>> {
    insistOnOperator(context);
    if (!(await this.log.store.readLast(`account-${streamTail(accountId)}`)))
      throw new Refused('account.not_found');
    const { position } = await this.log.transact(
      account,
      streamTail(accountId),
      remove({ id: accountId, at: this.clock.now() }),
      metadataOf(context, accountId),
    );
    const own: Context = { ...context, caller: { ...context.caller, accountId } };
    await this.projections.abreast('tokens', accountId);
    await this.projections.abreast('sessions', accountId);
    const tokens = await this.database.query<{ token_id: string }>(
      `SELECT token_id FROM tokens WHERE account_id = $1 AND revoked_at IS NULL`,
      [accountId],
    );
    for (const { token_id: id } of tokens) {
      const revoked = await this.log.transact(
        token,
        streamTail(id),
        revoke({ id, accountId, at: this.clock.now() }),
        metadataOf({ ...own, commandId: uuidV5(context.commandId, id) }),
      );
      this.revocations.tellToken(id, revoked);
    }
    const sessions = await this.database.query<{ session_id: string }>(
      `SELECT session_id FROM ${sessionsWithEnds} s WHERE account_id = $1 AND ended_at IS NULL`,
      [accountId],
    );
    for (const { session_id: id } of sessions)
      await this.sessions.end(id, 'revoked', { ...own, commandId: uuidV5(context.commandId, id) });
    return answer({ ok: true }, position);
  }

  /**
   * Deletes the account's key, and with it all its personal text in the log; then writes the event by which the
   * services clear their rows. The command is repeated after a crash in between.
   */
  @Handles(Accounts.forget)
  async forget({ accountId }: AccountById, context: Context): Promise<Answer<{ ok: true }>> {
    insistOnOperator(context);
    const { state, revision } = await this.log.load(account, streamTail(accountId));
    if (revision === undefined) throw new Refused('account.not_found');
    if (state) throw new Refused('account.in_use');
    await this.log.keys.shred(accountId);
    const { position } = await this.log.appendTo(
      account,
      streamTail(accountId),
      [{ type: 'AccountForgotten', accountId, forgottenAt: this.clock.now() }],
      'any',
      metadataOf(context, accountId),
    );
    return answer({ ok: true }, position);
  }
}
