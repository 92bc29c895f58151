import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  CommandLineByCode,
  type CommandLineDetails,
  type ConsentDetails,
  DecideCommandLine,
  DecideInteraction,
  GrantById,
  InteractionByUid,
  isWriteScope,
  Nothing,
  OAuth,
  type OAuthGrant,
  OAuthRequest,
  type OAuthResponse,
} from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Controller, Inject } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { Sessions } from '../session/sessions.service';
import { AuthorizationServer } from './authorization-server.service';
import { commandLine } from './cli-client';
import { MetadataFault, registered } from './client-metadata';
import { CommandLines } from './command-lines.service';
import { Grants } from './grants.service';
import { oauthError } from './json-answer';
import { isLoopback, redirectHost } from './redirect';
import { authorizationQuery, choicesOf, grantableIn } from './requested';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const paramsIn = ({ body }: OAuthRequest): URLSearchParams =>
  new URLSearchParams(Buffer.from(body, 'base64').toString('utf8'));

/** The requests of OAuth clients, and what people decide about them. */
@Controller()
export class OAuthHandlers {
  constructor(
    @Inject(AuthorizationServer) private readonly server: AuthorizationServer,
    @Inject(CommandLines) private readonly commandLines: CommandLines,
    @Inject(Grants) private readonly grants: Grants,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  @Handles(OAuth.serve)
  async serve(request: OAuthRequest, context: Context): Promise<Answer<OAuthResponse>> {
    const [path = '', query = ''] = request.url.split('?', 2);
    try {
      if (path === '/oauth/authorize')
        return answer(
          await this.server.serve({ ...request, url: `${path}?${authorizationQuery(query)}` }, context),
        );
      if (path === '/oauth/register')
        return answer(await this.server.serve({ ...request, body: registered(request.body) }, context));
      if (path === '/oauth/device_authorization')
        return answer(await this.commandLines.begin(paramsIn(request)));
      if (path === '/oauth/token') return answer(await this.tokens(request, context));
      return answer(await this.server.serve(request, context));
    } catch (error) {
      if (!(error instanceof MetadataFault)) throw error;
      return answer(oauthError(error.code, 400, error.message));
    }
  }

  @Handles(OAuth.showInteraction)
  async show({ uid }: InteractionByUid, { caller }: Context): Promise<Answer<ConsentDetails>> {
    const { request } = await this.request(uid);
    const account = await this.opening.find(caller.accountId);
    if (!account) throw new Refused('account.not_found');
    const { clientName: name, clientHost: host, redirectUri, resource, scopes } = request;
    return answer({
      client: { name, host, redirectHost: redirectHost(redirectUri), loopback: isLoopback(redirectUri) },
      resource,
      account: { name: account.name, email: account.email },
      scopes: choicesOf(scopes),
    });
  }

  @Handles(OAuth.decideInteraction)
  async decide(
    { uid, decision, scopes }: DecideInteraction,
    context: Context,
  ): Promise<Answer<{ redirectTo: string }>> {
    const { interaction, request } = await this.request(uid);
    const redirectTo = interaction.returnTo;
    // Decided before: the browser goes on where the first answer sent it.
    if (interaction.result) return answer({ redirectTo });
    if (decision === 'deny' || scopes.length === 0) {
      interaction.result = { error: 'access_denied', error_description: 'the person has refused' };
      await interaction.persist();
      return answer({ redirectTo });
    }
    if (!scopes.every((scope) => request.scopes.includes(scope)))
      throw new Refused('oauth.scope_not_requested');
    if (scopes.some(isWriteScope)) await this.sessions.insistOnRecent(context);
    const { accountId } = context.caller;
    const { clientId, clientName, clientHost, resource } = request;
    const grant = await this.grants.give(
      { accountId, clientName, client: { clientId, clientHost, resource }, scopes },
      context,
    );
    // The tokens have all scopes of the grant, also those of former consents.
    interaction.params['scope'] = grant.scopes.join(' ');
    interaction.result = { login: { accountId, remember: false }, consent: { grantId: grant.tokenId } };
    await interaction.persist();
    return answer({ redirectTo });
  }

  @Handles(OAuth.showCommandLine)
  async showCommandLine(
    { userCode }: CommandLineByCode,
    context: Context,
  ): Promise<Answer<CommandLineDetails>> {
    const { client, host, scopes } = await this.commandLines.shown(userCode, context);
    return answer({ client, host, scopes: [...scopes], expiresAt: this.commandLines.usualEnd() });
  }

  @Handles(OAuth.decideCommandLine)
  async decideCommandLine(input: DecideCommandLine, context: Context): Promise<Answer<{ ok: true }>> {
    if (input.decision === 'approve' && input.scopes.some(isWriteScope))
      await this.sessions.insistOnRecent(context);
    await this.commandLines.decide(input, context);
    return answer({ ok: true });
  }

  /** Tokens for a code, a refresh token or a device code. */
  private async tokens(request: OAuthRequest, context: Context): Promise<OAuthResponse> {
    const params = paramsIn(request);
    const type = params.get('grant_type');
    if (type === deviceGrant) return this.commandLines.exchange(params, context);
    const response = await this.server.serve(request, context);
    const isTraded =
      response.status === 200 && type === 'authorization_code' && params.get('client_id') === commandLine;
    return isTraded ? this.commandLines.trade(response, params, context) : response;
  }

  @Handles(OAuth.listGrants)
  async list(_input: Nothing, { after, caller }: Context): Promise<Answer<{ grants: OAuthGrant[] }>> {
    await this.projections.reached('tokens', after, caller.accountId);
    return answer({ grants: await this.grants.list(caller.accountId) });
  }

  @Handles(OAuth.endGrant)
  async end({ id }: GrantById, context: Context): Promise<Answer<{ ok: true }>> {
    const position = await this.grants.end(id, context.caller.accountId, context);
    return answer({ ok: true }, position);
  }

  /** A consent under way and what its client asks for. */
  private async request(uid: string) {
    const provider = await this.server.provider();
    const interaction = await provider.Interaction.find(uid);
    const { client_id: clientId, redirect_uri: redirectUri, resource, scope } = interaction?.params ?? {};
    const client = typeof clientId === 'string' ? await provider.Client.find(clientId) : undefined;
    if (!interaction || !client || typeof redirectUri !== 'string' || typeof resource !== 'string')
      throw new Refused('oauth.unknown_interaction');
    const host = client.clientId.startsWith('https://') ? new URL(client.clientId).host : null;
    return {
      interaction,
      request: {
        clientId: client.clientId,
        clientName: client.clientName ?? host ?? 'A client without a name',
        clientHost: host,
        redirectUri,
        resource,
        scopes: grantableIn(String(scope ?? '').split(' ')),
      },
    };
  }
}
