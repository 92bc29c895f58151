import { Destinations } from '@carillon/destinations';
import { Database } from '@carillon/event-store';
import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { AccountProjection } from './account/account.projection';
import { AccountsListHandlers } from './account/accounts-list.handlers';
import { AccountsSearchHandlers } from './account/accounts-search.handlers';
import { AccountOpening } from './account/opening.service';
import { PasskeyNotices } from './account/passkey-notices.worker';
import { Passwords } from './account/passwords';
import { BootstrapHandlers } from './bootstrap/bootstrap.handlers';
import { MailHandlers } from './mail/mail.handlers';
import { MailsProcess } from './mail/mails.process';
import { Mails } from './mail/mails.worker';
import { Smtp } from './mail/smtp.client';
import { firstRelease } from './migrations/1-first-release';
import { DeletionHandlers } from './deletion/deletion.handlers';
import { IdentityClaims } from './identity/identity-claims.service';
import { IdentityHandlers } from './identity/identity.handlers';
import { IdentitySignInHandlers } from './identity/identity-sign-in.handlers';
import { ProviderRequests } from './identity/provider-requests.service';
import { Upstream } from './identity/upstream.client';
import { KeyHandlers } from './key/key.handlers';
import { HistoryHandlers } from './history/history.handlers';
import { Artifacts } from './oauth/artifacts.service';
import { ArtifactsCleanup } from './oauth/artifacts-cleanup.service';
import { AuthorizationServer } from './oauth/authorization-server.service';
import { CommandLines } from './oauth/command-lines.service';
import { Documents } from './oauth/documents.client';
import { Grants } from './oauth/grants.service';
import { OAuthHandlers } from './oauth/oauth.handlers';
import { PasskeyHandlers } from './passkey/passkey.handlers';
import { PasskeyParty } from './passkey/passkey-party.service';
import { PasskeySignInHandlers } from './passkey/passkey-sign-in.handlers';
import { AccountEmailHandlers } from './profile/email-verify.handlers';
import { PasswordHandlers } from './profile/password.handlers';
import { ProfileHandlers } from './profile/profile.handlers';
import { Failures } from './rate/failures.service';
import { RateCleanup } from './rate/rate-cleanup.service';
import { RateHandlers } from './rate/rate.handlers';
import { WaitPermits } from './rate/wait-permits.entity';
import { StrictRates } from './rate/strict-rates.service';
import { RateWindows } from './rate/windows.entity';
import { Revocations } from './revocation/revocations.process';
import { SecondFactorHandlers } from './second-factor/second-factor.handlers';
import { SecondFactors } from './second-factor/second-factors.service';
import { SessionHandlers } from './session/session.handlers';
import { SessionProjection } from './session/session.projection';
import { Sessions } from './session/sessions.service';
import { SuspensionHandlers } from './suspension/suspension.handlers';
import { SignInHandlers } from './sign-in/sign-in.handlers';
import { SignUpHandlers } from './sign-up/sign-up.handlers';
import { SignUpMode } from './sign-up/sign-up-mode.service';
import { ForgottenTokens } from './token/forgotten-tokens.worker';
import { IssuedTokens } from './token/issued-tokens.service';
import { TokenHandlers } from './token/token.handlers';
import { TokenProjection } from './token/token.projection';
import { LastUsesCleanup } from './session/last-uses-cleanup.service';
import { Uses } from './use/uses.service';

@Module({
  imports: [
    ServiceModule.for({
      name: 'accounts',
      migrations: [firstRelease],
      projections: [AccountProjection, TokenProjection, SessionProjection, MailsProcess],
      queues: [ForgottenTokens, PasskeyNotices, Mails],
      providers: [Smtp],
    }),
  ],
  controllers: [
    BootstrapHandlers,
    SignInHandlers,
    SignUpHandlers,
    ProfileHandlers,
    PasswordHandlers,
    SecondFactorHandlers,
    PasskeyHandlers,
    PasskeySignInHandlers,
    IdentityHandlers,
    IdentitySignInHandlers,
    MailHandlers,
    AccountEmailHandlers,
    AccountsListHandlers,
    AccountsSearchHandlers,
    DeletionHandlers,
    SuspensionHandlers,
    HistoryHandlers,
    KeyHandlers,
    SessionHandlers,
    TokenHandlers,
    OAuthHandlers,
    RateHandlers,
  ],
  providers: [
    AccountOpening,
    Sessions,
    Passwords,
    StrictRates,
    Failures,
    SecondFactors,
    PasskeyParty,
    SignUpMode,
    IdentityClaims,
    ProviderRequests,
    Upstream,
    Revocations,
    Uses,
    LastUsesCleanup,
    RateCleanup,
    Artifacts,
    ArtifactsCleanup,
    AuthorizationServer,
    CommandLines,
    Documents,
    IssuedTokens,
    Grants,
    { provide: Destinations, useFactory: () => new Destinations() },
    {
      provide: RateWindows,
      useFactory: (database: Database) => new RateWindows(database),
      inject: [Database],
    },
    {
      provide: WaitPermits,
      useFactory: (database: Database) => new WaitPermits(database),
      inject: [Database],
    },
  ],
})
export class AccountsModule {}
