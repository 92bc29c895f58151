import { Refused } from '@carillon/eventing';
import { ApiError } from './api-error';

type RefusalEntry = readonly [status: number, code: string, sentence: string, options?: RefusalOptions];

interface RefusalOptions {
  /** Members that the refusal's details may show. */
  readonly shows?: readonly string[];
  readonly retryAfter?: number;
}

/** Maps refusals of the domain to a status and a code. A reason without an entry is a 500. */
// prettier-ignore
const entries: Readonly<Record<string, RefusalEntry>> = {
  'input.invalid':                     [400, 'VALIDATION_FAILED', 'The request is not valid.', { shows: ['issues'] }],
  'input.invalid_id':                  [400, 'INVALID_ID', 'The id in the path is not valid.'],
  'input.empty_update':                [400, 'EMPTY_UPDATE', 'The update changes nothing.'],
  'hook.not_json':                     [400, 'INVALID_JSON', 'The body must be a JSON object.'],
  'list.invalid_cursor':               [400, 'INVALID_CURSOR', 'The cursor is not valid for this list.'],
  'inbox.invalid_read_token':          [400, 'INVALID_READ_TOKEN', 'The read token is not valid.'],
  'quiet_hours.invalid_timezone':      [400, 'INVALID_TIMEZONE', 'The timezone is not an IANA name that is known here.'],
  'oncall.invalid_timezone':           [400, 'INVALID_TIMEZONE', 'The timezone is not an IANA name that is known here.'],
  'oauth.scope_not_requested':         [400, 'VALIDATION_FAILED', 'A scope is not among those that the client asks for.'],
  'token.expiry_out_of_range':         [400, 'VALIDATION_FAILED', 'The expiry must be in the future and at most 366 days away.', { shows: ['issues'] }],

  'hook.bad_signature':                [401, 'SIGNATURE_INVALID', 'The signature of the sender is missing, wrong or too old.'],
  'session.login_failed':              [401, 'LOGIN_FAILED', 'The e-mail address or the password is wrong.'],
  'passkey.login_failed':              [401, 'LOGIN_FAILED', 'The passkey was not accepted.'],
  'session.second_factor_required':    [401, 'SECOND_FACTOR_REQUIRED', 'The code of the authenticator app is missing.'],
  'identity.login_failed':             [401, 'LOGIN_FAILED', 'The answer of the provider was not accepted.'],
  'identity.request_invalid':          [401, 'SIGN_IN_EXPIRED', 'The sign-in was begun too long ago, or in another browser, or is over.'],
  'mail.link_invalid':                 [401, 'LINK_INVALID', 'The link is not good any longer.'],
  'session.refresh_invalid':           [401, 'TOKEN_INVALID', 'The refresh token is not valid.'],
  'session.ended':                     [401, 'TOKEN_REVOKED', 'The session has ended. Sign in again.'],
  'session.reauth_required':           [401, 'REAUTH_REQUIRED', 'Sign in again to do this.'],
  'account.bootstrap_secret':          [401, 'LOGIN_FAILED', 'The bootstrap secret is wrong or has expired.'],

  'session.required':                  [403, 'HUMAN_SESSION_REQUIRED', 'Only a signed-in person can do this.'],
  'totp.wrong_code':                   [403, 'WRONG_CODE', 'The code is wrong, or was used before.'],
  'password.wrong':                    [403, 'WRONG_PASSWORD', 'The current password is wrong.'],
  'session.other_device':              [403, 'SESSION_OF_OTHER_DEVICE', 'This session belongs to another install of the app. Sign in on this one.'],
  'account.suspended':                 [403, 'ACCOUNT_SUSPENDED', 'The account is suspended.'],
  'account.signup_closed':             [403, 'SIGNUP_CLOSED', 'This installation takes no new accounts.'],
  'identity.provider_refused':         [403, 'PROVIDER_REFUSED', 'The provider did not sign you in.'],
  'identity.email_unverified':         [403, 'EMAIL_UNVERIFIED', 'The provider does not say that the address is yours.'],
  'account.invite_invalid':            [403, 'INVITE_INVALID', 'The invite code is not valid.'],

  'service.not_creator':               [403, 'NOT_CREATOR', 'Only the creator of the service can do this.'],
  'team.forbidden_role':               [403, 'FORBIDDEN_ROLE', 'Your role in the team does not allow this.'],
  'interaction.not_asker':             [403, 'FORBIDDEN_ROLE', 'Only the sender of the prompt can cancel it.'],
  'override.self_only':               [403, 'OVERRIDE_SELF_ONLY', 'Only admins may put somebody else on call.'],
  'app.not_added_by_caller':           [403, 'NOT_ADDED_BY_CALLER', 'Only the account that added the app can move it.'],
  'team.signup_unavailable':           [403, 'TEAM_SIGNUP_UNAVAILABLE', 'Workplace teams cannot be made here. Make a family with kind `family`.'],
  'team.feature_unavailable':          [403, 'TEAM_FEATURE_UNAVAILABLE', 'Families do not have this.'],

  'pass.invalid':                      [403, 'PASS_INVALID', 'The pass is not valid, or not any more.'],
  'gateway_session.invalid':           [403, 'SESSION_INVALID', 'The session is not valid, or not any more.'],
  'callback.invalid':                  [403, 'CALLBACK_INVALID', 'The callback is not valid.'],
  'connector.disabled':                [403, 'CONNECTOR_DISABLED', 'The connector, or this route of it, is switched off.'],
  'invite.other_address':              [403, 'INVITE_OTHER_ADDRESS', 'The invite is for another address than the verified one of your account.'],

  'app.unknown':                       [404, 'NOT_FOUND', 'There is no such app.'],
  'route_name.not_found':              [404, 'ROUTE_NAME_NOT_FOUND', 'There is no such route.'],
  'connector.unknown':                 [404, 'NOT_FOUND', 'There is no such connector.'],
  'team.not_found':                    [404, 'TEAM_NOT_FOUND', 'There is no such team.'],
  'app.not_found':                     [404, 'APP_NOT_FOUND', 'There is no such app.'],
  'device.not_found':                  [404, 'DEVICE_NOT_FOUND', 'There is no such active device.'],
  'device_group.unknown':              [404, 'NOT_FOUND', 'There is no such device group.'],
  'device_group.not_found':            [404, 'DEVICE_GROUP_NOT_FOUND', 'There is no such device group.'],
  'oncall_group.not_found':            [404, 'ONCALL_GROUP_NOT_FOUND', 'There is no such on-call group.'],
  'member.not_found':                  [404, 'MEMBER_NOT_FOUND', 'There is no such member of the team.'],
  'stream.deleted':                    [404, 'NOT_FOUND', 'It is not kept any more.'],
  'notification.not_found':            [404, 'NOT_FOUND', 'There is no such notification.'],
  'inbox_item.not_found':              [404, 'NOT_FOUND', 'There is no such inbox item.'],
  'device.unknown':                    [404, 'NOT_FOUND', 'There is no such device.'],
  'identity.unknown_provider':         [404, 'NOT_FOUND', 'There is no such provider.'],
  'identity.not_found':                [404, 'NOT_FOUND', 'The account has no identity of this provider.'],
  'passkey.not_found':                 [404, 'NOT_FOUND', 'There is no such passkey.'],
  'token.not_found':                   [404, 'NOT_FOUND', 'There is no such token.'],
  'oauth.unknown_code':                [404, 'NOT_FOUND', 'The code is wrong, or has expired.'],
  'oauth.unknown_interaction':         [404, 'NOT_FOUND', 'There is no such request in this browser, or it has expired.'],
  'session.not_found':                 [404, 'NOT_FOUND', 'There is no such session.'],
  'mail.off':                          [404, 'ROUTE_NOT_FOUND', 'There is no such route.'],
  'operator.required':                 [404, 'ROUTE_NOT_FOUND', 'There is no such route.'],
  'dead_letter.not_found':             [404, 'NOT_FOUND', 'There is no such dead letter.'],
  'account.not_found':                 [404, 'NOT_FOUND', 'There is no such account.'],
  'service.not_found':                 [404, 'SERVICE_NOT_FOUND', 'There is no such service.'],
  'service.unknown':                   [404, 'NOT_FOUND', 'There is no such service.'],
  'interaction.not_found':             [404, 'NOT_FOUND', 'There is no such prompt.'],
  'hook.not_found':                    [404, 'NOT_FOUND', 'There is no such webhook.'],
  'webhook.not_found':                 [404, 'WEBHOOK_NOT_FOUND', 'There is no such reply webhook.'],
  'reply.unknown':                     [404, 'NOT_FOUND', 'There is no such delivery.'],
  'webhook.unknown':                   [404, 'NOT_FOUND', 'There is no such reply webhook.'],
  'oncall_group.unknown':              [404, 'NOT_FOUND', 'There is no such on-call group.'],
  'override.unknown':                 [404, 'NOT_FOUND', 'There is no such override that is not over.'],
  'page.unknown':                      [404, 'NOT_FOUND', 'There is no such page.'],
  'calendar.unknown':                 [404, 'NOT_FOUND', 'There is no such calendar.'],
  'member.unknown':                    [404, 'NOT_FOUND', 'There is no such member of the team.'],
  'invite.unknown':                    [404, 'NOT_FOUND', 'There is no such invite.'],
  'team.unknown':                      [404, 'NOT_FOUND', 'There is no such team.'],
  'family.not_found':                  [404, 'FAMILY_NOT_FOUND', 'There is no such family.'],
  'activity.not_found':                [404, 'NOT_FOUND', 'There is no such live activity.'],
  'delivery.not_found':                [404, 'NOT_FOUND', 'There is no such delivery.'],

  'hook.unsupported_media_type':       [415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON, plain text or a URL-encoded form, in UTF-8.'],

  'account.bootstrap_closed':          [410, 'BOOTSTRAP_CLOSED', 'The first account exists already.'],
  'invite.expired':                    [410, 'INVITE_EXPIRED', 'The invite has expired. Ask for another one.'],
  'invite.revoked':                    [410, 'INVITE_REVOKED', 'The invite was revoked.'],
  'invite.used':                       [410, 'INVITE_USED', 'The invite was accepted already.'],

  'dead_letter.failed_again':          [409, 'DEAD_LETTER_FAILED_AGAIN', 'It failed again, and stays.'],
  'consent.required':                  [409, 'CONSENT_REQUIRED', 'Agree first to be signed in to this app.'],
  'sign_in.last_method':               [409, 'LAST_SIGN_IN_METHOD', 'It is the last way to sign in. Add another one first.'],
  'identity.taken':                    [409, 'IDENTITY_TAKEN', 'The identity signs in to another account.'],
  'identity.provider_linked':          [409, 'PROVIDER_LINKED', 'The account has an identity of this provider already. Unlink it first.'],
  'account.email_taken':               [409, 'EMAIL_TAKEN', 'An account with this e-mail address exists already.'],
  'team.owner_must_transfer':          [409, 'OWNER_MUST_TRANSFER', 'You own the team. Make somebody else the owner first.'],
  'team.owner_cannot_be_removed':      [409, 'OWNER_CANNOT_BE_REMOVED', 'The owner of a team cannot be removed from it.'],
  'domain.not_verified':               [409, 'DOMAIN_NOT_VERIFIED', 'The team has no verified domain.'],
  'family.exists':                     [409, 'FAMILY_EXISTS', 'The account is in a family already.'],
  'member.exists':                     [409, 'ALREADY_MEMBER', 'The person is a member of the team already.'],
  'invite.already_accepted':           [409, 'INVITE_ALREADY_ACCEPTED', 'The invite was accepted already.'],
  'page.already_acknowledged':         [409, 'PAGE_ALREADY_ACKNOWLEDGED', 'Somebody has taken the page over already.'],
  'page.already_resolved':             [409, 'PAGE_ALREADY_RESOLVED', 'The page is over already.'],
  'page.no_further_escalation':        [409, 'NO_FURTHER_ESCALATION', 'All steps of the escalation have run.'],
  'app.url_taken':                     [409, 'APP_URL_TAKEN', 'Another app has this URL there already.'],
  'hostname.taken':                    [409, 'HOSTNAME_TAKEN', 'Another connector has this hostname already.'],
  'name.taken':                        [409, 'NAME_TAKEN', 'Another one has this name already.'],
  'override.overlap':                 [409, 'OVERRIDE_OVERLAP', 'Another override of the group is in this time.'],
  'domain.not_pending':                [409, 'DOMAIN_NOT_PENDING', 'No domain waits for its proof. Set one first.'],
  'domain.taken':                      [409, 'DOMAIN_TAKEN', 'Another team has proved this domain already.'],
  'token.own':                         [409, 'USE_AUTH_REVOKE', 'A token ends itself with POST /auth/revoke.'],
  'webhook.disabled':                  [409, 'WEBHOOK_DISABLED', 'The reply webhook is switched off. Switch it on first.'],
  'interaction.not_pending':           [409, 'INTERACTION_NOT_PENDING', 'The prompt is not pending any more.', { shows: ['status'] }],
  'interaction.digest_mismatch':       [409, 'DIGEST_MISMATCH', 'The prompt is not the one that was answered.'],
  'activity.key_conflict':             [409, 'ACTIVITY_KEY_CONFLICT', 'An activity of this token runs under this key. Use replace, or another key.', { shows: ['activityId'] }],
  'activity.not_running':              [409, 'ACTIVITY_NOT_RUNNING', 'The live activity does not run any more.', { shows: ['status'] }],
  'idempotency.in_progress':           [409, 'IDEMPOTENCY_IN_PROGRESS', 'The first request with this idempotency key is still running.', { retryAfter: 1 }],
  'stream.concurrent_update':          [409, 'CONCURRENT_UPDATE', 'Somebody else changed this at the same time. Try again.', { retryAfter: 1 }],

  'idempotency.key_reused':            [422, 'IDEMPOTENCY_KEY_REUSED', 'This idempotency key came with another request before.'],
  'interaction.answer_not_allowed':    [422, 'ANSWER_NOT_ALLOWED', 'The prompt cannot be answered like this.'],
  'passkey.refused':                   [422, 'PASSKEY_REFUSED', 'The passkey was not accepted. Try to add it again.'],
  'passkey.unavailable':               [422, 'PASSKEYS_UNAVAILABLE', 'Passkeys need a name: CARILLON_BASE_URL is an address in digits.'],
  'password.too_common':               [422, 'PASSWORD_TOO_COMMON', 'The password is among those that are tried first. Choose another one.'],
  'activity.no_eligible_devices':      [422, 'NO_ELIGIBLE_DEVICES', 'No device of the account can show live activities.'],
  'activity.capacity_exceeded':        [422, 'ACTIVITY_CAPACITY_EXCEEDED', 'A device shows as many live activities as it can.', { shows: ['limit', 'deviceIds'] }],
  'activity.props_too_large':          [422, 'PROPS_TOO_LARGE', 'The props are larger than 3072 bytes of JSON.', { shows: ['limit'] }],
  'resource.limit_reached':            [422, 'RESOURCE_LIMIT_REACHED', 'There are as many of these as there may be.', { shows: ['limit'] }],
  'family.capacity_exceeded':          [422, 'FAMILY_CAPACITY_EXCEEDED', 'The family is full. Open invites for one address count, too.', { shows: ['limit'] }],
  'team.seat_limit_reached':           [422, 'SEAT_LIMIT_REACHED', 'The team has as many members as it may have.', { shows: ['limit'] }],
  'domain.public_mailbox':             [422, 'PUBLIC_MAILBOX_DOMAIN', 'Anybody can have an address in this domain. Name one of your own.'],
  'domain.txt_mismatch':               [422, 'DOMAIN_TXT_MISMATCH', 'The TXT record is not there, or says something else.', { shows: ['issues'] }],
  'destination.not_allowed':           [422, 'DESTINATION_NOT_ALLOWED', 'The address is not one that replies may be sent to.'],

  'bus.too_large':                     [422, 'ANSWER_TOO_LARGE', 'The answer is larger than can be carried. Ask for less. What was to be changed has been changed.', { shows: ['limit'] }],

  'invite.made_too_often':             [429, 'RATE_LIMITED', 'The team has made many invites within an hour. Try again later.', { shows: ['limit'] }],
  'domain.verified_too_often':         [429, 'DOMAIN_VERIFY_RATE_LIMITED', 'The domain was looked for too often. Try again later.', { shows: ['limit'] }],
  'webhook.saved_too_often':           [429, 'RATE_LIMITED', 'Too many addresses of reply webhooks were saved. Try again later.', { shows: ['limit'] }],
  'webhook.tested_too_often':          [429, 'RATE_LIMITED', 'The reply webhook was tested too often. Try again later.', { shows: ['limit'] }],
  'page.too_many':                     [429, 'RATE_LIMITED', 'The account has paged too often. Try again later.', { shows: ['limit'] }],
  'simulation.run_too_often':          [429, 'RATE_LIMITED', 'The account has replayed pages too often. Try again later.', { shows: ['limit'] }],
  'password.too_many_failures':        [429, 'RATE_LIMITED', 'Too many failed attempts. Try again later.', { shows: ['limit'] }],
  'account.too_many_addresses':        [429, 'RATE_LIMITED', 'Too many changes of the address. Try again later.', { shows: ['limit'] }],
  'mail.too_many':                     [429, 'RATE_LIMITED', 'Too many mails to this address or from this network. Try again later.', { shows: ['limit'] }],
  'session.too_many_failures':         [429, 'RATE_LIMITED', 'Too many failed attempts. Try again later.', { shows: ['limit'] }],

  'notification.withdraw_not_accepted': [502, 'WITHDRAW_NOT_ACCEPTED', 'No device accepted the command. Nothing was changed.'],

  'identity.provider_unavailable':     [503, 'PROVIDER_UNAVAILABLE', 'The provider did not answer as it should. Try again.', { retryAfter: 5 }],
  'domain.resolver_error':             [503, 'DOMAIN_RESOLVER_ERROR', 'The name servers did not answer. Nothing was changed. Try again.', { retryAfter: 30 }],
  'projection.behind':                 [503, 'UNAVAILABLE', 'The newest state is not readable yet. Try again.', { retryAfter: 1 }],
  'event.unknown':                     [503, 'UNAVAILABLE', 'A part of the service is being upgraded. Try again.', { retryAfter: 1 }],
  'event.withheld':                    [503, 'UNAVAILABLE', 'A part of the service is being upgraded. Try again.', { retryAfter: 1 }],
  'store.unavailable':                 [503, 'UNAVAILABLE', 'The service cannot store anything at the moment. Try again.', { retryAfter: 1 }],
  'database.unavailable':              [503, 'UNAVAILABLE', 'The service cannot read at the moment. Try again.', { retryAfter: 1 }],
  'caller.unproven':                   [503, 'UNAVAILABLE', 'The parts of the service do not trust each other. Its operator must look at this.', { retryAfter: 30 }],
  'gateway.full':                      [503, 'UNAVAILABLE', 'Too many clients wait here at the moment. Try again.', { retryAfter: 5 }],
  'password.busy':                     [503, 'UNAVAILABLE', 'Too many people want this at the moment. Try again.', { retryAfter: 2 }],
  'bus.no_responders':                 [503, 'UNAVAILABLE', 'A part of the service is not running. Try again.', { retryAfter: 1 }],
  'bus.unavailable':                   [503, 'UNAVAILABLE', 'A part of the service is not reachable. Try again.', { retryAfter: 1 }],
  'store.outcome_unknown':             [504, 'DEADLINE_EXCEEDED', 'What was asked may have happened. Ask again with the same Idempotency-Key, or look first.'],
  'bus.timeout':                       [504, 'DEADLINE_EXCEEDED', 'The service did not answer in time. What was asked may have happened. Ask again with the same Idempotency-Key, or look first.'],
};

/** The status and code of a reason, for the API descriptions. */
export function refusalOf(reason: string): Pick<ApiError, 'status' | 'code' | 'sentence'> {
  const entry = entries[reason];
  if (!entry) throw new Error(`The reason "${reason}" is missing in the map of refusals`);
  const [status, code, sentence] = entry;
  return { status, code, sentence };
}

/** The domain's "no" as the API says it. */
export function fromRefusal(refused: Refused): ApiError {
  const entry = entries[refused.reason];
  if (!entry) return new ApiError(500, 'INTERNAL', 'Something went wrong on our side.');
  const [status, code, sentence, options = {}] = entry;
  const members = Object.fromEntries(
    (options.shows ?? [])
      .filter((name) => refused.details[name] !== undefined)
      .map((name) => [name, refused.details[name]]),
  );
  const told = refused.details['retryAfter'];
  const retryAfter = typeof told === 'number' ? Math.max(1, Math.ceil(told)) : options.retryAfter;
  return new ApiError(
    status,
    code,
    sentence,
    retryAfter === undefined ? members : { ...members, retryAfter },
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  );
}

/** Whether the caller is told that it is the request that cannot be done (4xx). */
export function isForCaller(error: unknown): boolean {
  const answer = error instanceof Refused ? fromRefusal(error) : error;
  return answer instanceof ApiError && answer.status < 500;
}
