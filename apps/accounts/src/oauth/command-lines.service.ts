import { randomInt } from 'node:crypto';
import type { Context } from '@carillon/bus';
import {
  basicScopes,
  type DecideCommandLine,
  grantableScopes,
  type OAuthResponse,
} from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { plus, Refused } from '@carillon/eventing';
import { cell, Clock, networkOf, secret, setting } from '@carillon/runtime';
import { hashSecret, isSameText, mintSecret } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { Failures } from '../rate/failures.service';
import { IssuedTokens, type NewToken } from '../token/issued-tokens.service';
import {
  changeArtifact,
  consumeArtifact,
  decideArtifact,
  findArtifact,
  saveArtifact,
} from './artifacts.entity';
import {
  cliTokenMs,
  type DeviceDecision,
  type DeviceRequest,
  deviceSeconds,
  mintUserCode,
  poll,
  pollSeconds,
  userCodeOf,
} from './device-grant';
import { Grants } from './grants.service';
import { jsonAnswer, oauthError } from './json-answer';
import { commandLine } from './cli-client';
import { grantableIn } from './requested';

const kind = 'DeviceCode';
const hostForm = /^[\w .:@()-]{1,64}$/;

/** Gives command lines API tokens: by a code that a person types (RFC 8628), or by the loopback flow (RFC 8252). */
@Injectable()
export class CommandLines {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();
  private readonly baseUrl = setting('CARILLON_BASE_URL').replace(/\/+$/, '');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(IssuedTokens) private readonly tokens: IssuedTokens,
    @Inject(Grants) private readonly grants: Grants,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The answer to a command line that begins. */
  async begin(params: URLSearchParams): Promise<OAuthResponse> {
    if (params.get('client_id') !== commandLine) return oauthError('invalid_client', 401);
    const scopes = grantableIn((params.get('scope') ?? '').split(' '));
    const request: DeviceRequest = {
      client: commandLine,
      host: hostIn(params),
      scopes: scopes.length > 0 ? scopes : basicScopes,
      intervalSeconds: pollSeconds,
    };
    const userCode = mintUserCode(randomInt);
    const { secret: device } = mintSecret('carillon_dev_', this.cell);
    const at = this.clock.now();
    await saveArtifact(this.database, {
      idHash: this.hashOf(userCode),
      kind,
      payload: { request, deviceHash: hashSecret(this.pepper, device) },
      grantId: null,
      prefix: null,
      expiresAt: plus(at, deviceSeconds * 1_000),
      at,
    });
    const page = `${this.baseUrl}/cli`;
    return jsonAnswer(200, {
      device_code: `${userCode}.${device}`,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}/${userCode}`,
      expires_in: deviceSeconds,
      interval: pollSeconds,
    });
  }

  /** The answer to a command line that asks whether it was approved: the API token, once. */
  async exchange(params: URLSearchParams, context: Context): Promise<OAuthResponse> {
    if (params.get('client_id') !== commandLine) return oauthError('invalid_client', 401);
    const [userCode = '', device = ''] = (params.get('device_code') ?? '').split('.', 2);
    const found = await this.find(userCode);
    if (!found || !isSameText(found.deviceHash, hashSecret(this.pepper, device)))
      return oauthError('expired_token');
    const { request, decided } = found;
    const answer = poll({ ...request, ...(decided && { decided }) }, this.clock.ms());
    if (answer.answer === 'approved') return this.issue(userCode, answer.by, context);
    if ('next' in answer)
      await changeArtifact(this.database, this.hashOf(userCode), { request: answer.next });
    return oauthError(answer.answer);
  }

  /**
   * The API token that a command line gets in place of what the code flow gives. It works on without a refresh, which
   * two runs at once would do twice.
   */
  async trade(given: OAuthResponse, params: URLSearchParams, context: Context): Promise<OAuthResponse> {
    const { access_token: access } = JSON.parse(given.body) as { access_token: string };
    const row = await findArtifact(
      this.database,
      'AccessToken',
      hashSecret(this.pepper, access),
      this.clock.now(),
    );
    const { accountId, scope } = row?.payload ?? {};
    if (!row?.grant_id || typeof accountId !== 'string') return oauthError('invalid_grant');
    const wanted = {
      name: nameOf(hostIn(params)),
      scopes: grantableIn(String(scope).split(' ')),
      expiresAt: this.usualEnd(),
    };
    const answer = await this.given(wanted, { ...context, caller: { ...context.caller, accountId } });
    await this.grants.end(row.grant_id, accountId, context);
    return answer;
  }

  /** The request of a typed code. Ten wrong ones of an account or a network in 15 minutes are refused. */
  async shown(typed: string, context: Context): Promise<DeviceRequest & { readonly userCode: string }> {
    const { accountId, ip } = context.caller;
    return this.failures.counted(`cli:${accountId}`, 'oauth.unknown_code', context, () =>
      this.failures.counted(`cli:${networkOf(ip)}`, 'oauth.unknown_code', context, async () => {
        const userCode = userCodeOf(typed);
        const found = userCode === undefined ? undefined : await this.find(userCode);
        if (!found || userCode === undefined || found.decided) throw new Refused('oauth.unknown_code');
        return { ...found.request, userCode };
      }),
    );
  }

  /** The end of the token unless the person names another one. */
  usualEnd(): string {
    return plus(this.clock.now(), cliTokenMs);
  }

  /** The first decision counts. */
  async decide(
    { userCode, decision, scopes, name, expiresAt }: DecideCommandLine,
    context: Context,
  ): Promise<void> {
    const request = await this.shown(userCode, context);
    const { accountId, sessionId = '' } = context.caller;
    const decided: DeviceDecision =
      decision === 'deny' || scopes.length === 0
        ? { decision: 'deny' }
        : {
            decision,
            accountId,
            sessionId,
            name: name ?? nameOf(request.host),
            scopes: grantableScopes.filter((scope) => scopes.includes(scope)),
            expiresAt: expiresAt === undefined ? this.usualEnd() : expiresAt,
          };
    const isFirst = await decideArtifact(
      this.database,
      this.hashOf(request.userCode),
      { decided },
      this.clock.now(),
    );
    if (!isFirst) throw new Refused('oauth.unknown_code');
  }

  private async issue(
    userCode: string,
    { accountId, sessionId, name, scopes, expiresAt }: Extract<DeviceDecision, { decision: 'approve' }>,
    context: Context,
  ): Promise<OAuthResponse> {
    const account = await this.opening.find(accountId);
    if (!account || account.suspended) return oauthError('invalid_grant');
    if (!(await consumeArtifact(this.database, this.hashOf(userCode), this.clock.now())))
      return oauthError('invalid_grant');
    const asPerson: Context = { ...context, caller: { ...context.caller, accountId, sessionId } };
    return this.given({ name, scopes, expiresAt }, asPerson);
  }

  private async given(wanted: NewToken, context: Context): Promise<OAuthResponse> {
    const { token, secret: value } = await this.tokens.issue(wanted, context);
    return jsonAnswer(200, { access_token: value, token_type: 'Bearer', scope: token.scopes.join(' ') });
  }

  private async find(userCode: string) {
    const row = await findArtifact(this.database, kind, this.hashOf(userCode), this.clock.now());
    if (!row || row.consumed_at) return undefined;
    return row.payload as unknown as CommandLineRow;
  }

  private hashOf(userCode: string): string {
    return hashSecret(this.pepper, `user code ${userCode}`);
  }
}

interface CommandLineRow {
  readonly request: DeviceRequest;
  readonly deviceHash: string;
  readonly decided?: DeviceDecision;
}

const hostIn = (params: URLSearchParams): string => {
  const host = params.get('host') ?? '';
  return hostForm.test(host) ? host : 'an unnamed machine';
};
const nameOf = (host: string): string => `CLI on ${host}`.slice(0, 80);
