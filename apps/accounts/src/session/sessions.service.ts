import { answer, type Answer, type Context } from '@carillon/bus';
import type { SessionSecrets, SignedIn } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { cell, Clock, metadataOf, networkOf, secret } from '@carillon/runtime';
import { hashSecret, mintSecret, newId, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { type Opened, accountView } from '../account/account';
import { selfMetadata } from '../account/opening.service';
import { Revocations } from '../revocation/revocations.process';
import { accessPrefix, type End, end, insistOnRecent, refreshPrefix, session, start } from './session';

export type Client = 'app' | 'browser';

/** Starts sessions for people who have just authenticated. */
@Injectable()
export class Sessions {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Revocations) private readonly revocations: Revocations,
  ) {}

  /** In a browser that is signed in already, the new session replaces the former one. */
  async start(
    opened: Opened,
    client: Client | undefined,
    context: Context,
    { atOpening = false } = {},
  ): Promise<Answer<SignedIn>> {
    const { accountId } = opened;
    const id = newId('ses', this.clock.ms());
    const access = mintSecret(accessPrefix, this.cell).secret;
    const renewal = client === 'app' ? mintSecret(refreshPrefix, this.cell).secret : undefined;
    const { events, position } = await this.log.transact(
      session,
      streamTail(id),
      start({
        id,
        accountId,
        accessHash: hashSecret(this.pepper, access),
        refreshHash: renewal === undefined ? null : hashSecret(this.pepper, renewal),
        networkHash: this.networkHashOf(context),
        ...this.browserHashOf(accountId, client, context),
        atOpening,
        at: this.clock.now(),
      }),
      selfMetadata(context, accountId),
      { expectNew: true },
    );
    const [started] = events;
    if (started?.type !== 'SessionStarted') throw new Error('A session was started without a trace');
    await this.projections.caughtUp('sessions', position);
    const former = context.caller.sessionId;
    if (former !== undefined && client !== 'app')
      await this.end(former, 'replaced', {
        ...context,
        commandId: uuidV5(context.commandId, 'former session'),
      });
    const secrets: SessionSecrets = {
      sessionId: id,
      accessToken: access,
      ...(renewal !== undefined && { refreshToken: renewal }),
      expiresAt: started.accessExpiresAt,
    };
    return answer({ account: accountView(opened), session: secrets }, position);
  }

  async end(id: string, reason: End['reason'], context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId } = context.caller;
    const decide = end({ id, accountId, reason, at: this.clock.now() });
    const ended = await this.log.transact(session, streamTail(id), decide, metadataOf(context));
    await this.projections.caughtUp('sessions', ended.position);
    this.revocations.tellSession(id, ended);
    return answer({ ok: true }, ended.position);
  }

  /** Refused `session.required` without a session, `session.reauth_required` when its sign-in is too long ago. */
  async insistOnRecent({ caller: { accountId, sessionId } }: Context): Promise<void> {
    if (!sessionId) throw new Refused('session.required');
    const { state } = await this.log.load(session, streamTail(sessionId));
    insistOnRecent(state, accountId, this.clock.now());
  }

  /** Tells the browsers of an account apart; what two accounts in one browser have differs. */
  private browserHashOf(
    accountId: string,
    client: Client | undefined,
    { caller: { browser } }: Context,
  ): { browserHash?: string } {
    if (client === 'app' || browser === undefined) return {};
    return { browserHash: hashSecret(this.pepper, `browser ${accountId} ${browser}`).slice(0, 32) };
  }

  /** Tells networks apart without naming them. */
  networkHashOf({ caller }: Context): string {
    // Stored hashes have this prefix: it must not change.
    return hashSecret(this.pepper, `network ${networkOf(caller.ip)}`).slice(0, 32);
  }
}
