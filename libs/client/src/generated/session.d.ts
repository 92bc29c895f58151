// Written by tools/client-types.mjs from docs/openapi/session.yaml.

export interface paths {
    "/bootstrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the first account
         * @description Succeeds once, with the secret that the installation has printed; the account is an operator. A browser gets its session as a cookie; with `client: "app"` the tokens are in the body instead.
         */
        post: operations["bootstrap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an account
         * @description Where the installation takes new ones, or takes those with an invite. A browser gets its session as a cookie; with `client: "app"` the tokens are in the body instead.
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a password
         * @description A browser gets its session as a cookie; with `client: "app"` the tokens are in the body instead.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/recovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a recovery code
         * @description For somebody whose authenticator app or passkey is lost. The code is good once; the password is needed where the account has one. A browser gets its session as a cookie; with `client: "app"` the tokens are in the body instead.
         */
        post: operations["signInWithRecoveryCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a challenge to sign in with a passkey
         * @description For `PublicKeyCredential.parseRequestOptionsFromJSON()`. 422 `PASSKEYS_UNAVAILABLE` where the installation is known by an address in digits.
         */
        post: operations["prepareSignInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description Whatever is wrong with the response is 401 `LOGIN_FAILED`. A counter that did not go up also disables the passkey, and the account gets a notification. A browser gets its session as a cookie; with `client: "app"` the tokens are in the body instead.
         */
        post: operations["signInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say whether links to sign in can be sent by mail
         * @description For a page that somebody sees who is not signed in; later `GET /me` says it too.
         */
        get: operations["describeSignInLinks"];
        put?: never;
        /**
         * Get a link to sign in by mail
         * @description The answer is the same whether the address is known or not. The link is good once, for 30 minutes. Only where mail is configured (`mail` of `GET /me`), else 404. Five for an address and 30 for a network in 15 minutes.
         */
        post: operations["requestSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/email/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a link from a mail
         * @description Where the account has an authenticator app, a code is needed too; the link stays good until it has come. The address counts as verified. A browser gets its session as a cookie; with `client: "app"` the tokens are in the body instead.
         */
        post: operations["signInWithLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the OpenID Connect providers that sign people in
         * @description For a sign-in a browser goes to `/api/session/login/oidc/{id}`, and comes back with its cookie. A sign-in that fails leads to `/console/?signInError=` and a code.
         */
        get: operations["listSignInProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new pair of tokens
         * @description A refresh token works once. Within 30 seconds it gives the same pair again, in case the answer was lost; later, or when the next one was used, it ends the whole session.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the session that asks.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of the account
         * @description All that have not ended.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Wherever it is.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the account
         * @description Also whether mails are sent, and whether the account has an authenticator app.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the account
         * @description Another e-mail address needs a recent sign-in.
         */
        patch: operations["changeAccount"];
        trace?: never;
    };
    "/email/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a link to verify the address by mail
         * @description As `POST /login/email`. Nothing is sent where the address is verified already.
         */
        post: operations["requestVerificationLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an address with a link from a mail
         * @description Needs no session. A link is good as long as the account has the address.
         */
        post: operations["verifyAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password
         * @description Needs a sign-in within the last 15 minutes and the current password where there is one. All other sessions of the account end; its tokens stay.
         */
        put: operations["changePassword"];
        post?: never;
        /**
         * Remove the password
         * @description Needs a sign-in within the last 15 minutes and another way to sign in. All other sessions of the account end; its tokens stay.
         */
        delete: operations["removePassword"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a challenge for a new passkey
         * @description For `PublicKeyCredential.parseCreationOptionsFromJSON()`. Needs a sign-in within the last 15 minutes.
         */
        post: operations["prepareNewPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the passkeys of the account
         * @description Oldest first, also those that are disabled.
         */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Add a passkey
         * @description Needs a sign-in within the last 15 minutes. Takes what `PublicKeyCredential.toJSON()` gives; 422 `PASSKEY_REFUSED` for whatever is wrong with it. At most 20 for an account.
         */
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a passkey
         * @description Needs a sign-in within the last 15 minutes. The last way to sign in cannot be removed. Recovery codes stay.
         */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the identities of other providers that sign in to the account
         * @description The oldest first.
         */
        get: operations["listIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identities/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link an identity of a provider to the account
         * @description Needs a sign-in within the last 15 minutes. The browser that asks goes to `redirectTo`, and is sent to `/console/account` in the end. An identity of another account is `IDENTITY_TAKEN`, as `signInError`; a second one of the same provider is 409 `PROVIDER_LINKED`.
         */
        post: operations["linkIdentity"];
        /**
         * Unlink the identity of a provider
         * @description Needs a sign-in of the last 15 minutes. The last way in stays: 409 `LAST_SIGN_IN_METHOD`.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a key for an authenticator app
         * @description Needs a sign-in within the last 15 minutes. The key is in use once `POST /totp/confirm` has got a code of it; one that is in use stays so until then.
         */
        post: operations["prepareTotp"];
        /**
         * Remove the authenticator app
         * @description Needs a sign-in within the last 15 minutes and a code. Recovery codes stay.
         */
        delete: operations["removeTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the key of an authenticator app into use
         * @description From now on `POST /login/password` asks for a code: SHA-1, 6 digits, 30 seconds, one step early or late, each code once. Earlier recovery codes end. Ten wrong codes in 15 minutes are 429.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make new recovery codes
         * @description Needs a sign-in within the last 15 minutes. The earlier codes end.
         */
        post: operations["replaceRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of the account
         * @description The newest first.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Make a token for an agent
         * @description Needs a recent sign-in. The secret is shown this once.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description For good.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/interaction/{uid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at what an OAuth client asks for
         * @description For the browser that the client has sent to `/oauth/authorize`, for ten minutes. Scopes that change something are not preselected, but for the basic ones.
         */
        get: operations["showInteraction"];
        put?: never;
        /**
         * Grant access to an OAuth client, or refuse it
         * @description The client gets these scopes, and keeps those that it was granted before. A scope that changes something needs a sign-in within the last 15 minutes. The first decision counts.
         */
        post: operations["decideInteraction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cli/{userCode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at the command line that shows a code
         * @description For ten minutes, until somebody has decided. Ten wrong codes of an account or a network in 15 minutes are 429.
         */
        get: operations["showCommandLine"];
        put?: never;
        /**
         * Give a command line a token, or refuse it
         * @description The command line gets an API token with these scopes. A scope that changes something needs a sign-in within the last 15 minutes. The first decision counts.
         */
        post: operations["decideCommandLine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the OAuth clients that have access
         * @description The newest first. Each has at most one grant for a resource.
         */
        get: operations["listGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the access of an OAuth client
         * @description Its access and refresh tokens are refused within five seconds.
         */
        delete: operations["endGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/push/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the key that browsers subscribe with
         * @description The `applicationServerKey` of `pushManager.subscribe`. It can change: a page whose subscription has another key subscribes and registers again. Where Web Push is off, `key` is null and `reason` says why.
         */
        get: operations["getPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices of the account
         * @description The last seen first.
         */
        get: operations["listDevices"];
        put?: never;
        /**
         * Register the phone or the browser
         * @description The same account and `installId` update the same device (200); else a new one is made (201). A phone needs the session of its app. From then on the session belongs to this install, and only it changes the device’s tokens and reports for it. An install that comes with another session ends the one that it had; so does removing the device. A browser (`platform: web`) registers its push subscription with whatever session the person has, which removing the device does not end. An endpoint that another device holds moves here. The endpoint must be one that may be called from here: a public address, or one that the operator allows.
         */
        post: operations["registerDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the push tokens of a phone
         * @description A push token that another device holds moves here.
         */
        put: operations["changeDeviceTokens"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{deviceId}/activities/{activityId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell where an activity takes updates
         * @description iOS gives each live activity a token of its own when it begins, and another one now and then. What waits for it is sent in its order; a new one is told the newest state.
         */
        post: operations["registerActivityToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{id}/receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell what the phone has received
         * @description The only proof that a phone got something.
         */
        post: operations["reportReceipts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ring a device
         * @description Sends a notification to this device of the account alone, which must be active; quiet hours do not hold it back. It counts as a send. `accepted` is 1 once the push provider has taken it, and 0 while it has not; whether the device rang, only the device knows.
         */
        post: operations["testDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/quiet-hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read quiet hours
         * @description When notifications wait in the inbox without ringing.
         */
        get: operations["getQuietHours"];
        /**
         * Set quiet hours
         * @description Of one device, or of all that have none of their own. While they run, notifications and prompts are in the inbox alone; pages and urgent prompts ring.
         */
        put: operations["setQuietHours"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery once more
         * @description Whatever has become of it: its attempts start again, with the same `webhook-id`, so that a receiver that has it knows it again.
         */
        post: operations["resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send once more what did not arrive
         * @description All deliveries since then that failed or were given up, the oldest first, each with its own `webhook-id`. At most a thousand at once: `more` says whether to ask again.
         */
        post: operations["recoverDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what agents have asked
         * @description Of the last 30 days, the newest first.
         */
        get: operations["listPrompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prompts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at a prompt
         * @description Whichever agent of the account has asked it.
         */
        get: operations["getPrompt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prompts/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whom the end of a prompt was told
         * @description Its delivery to each reply webhook of the account that has asked, with all attempts and their answers, for 30 days. Empty while the prompt is pending, where no reply webhook hears of it, and for the others who were asked.
         */
        get: operations["listPromptDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prompts/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a prompt
         * @description The first answer counts, and only until the prompt expires.
         */
        post: operations["answerPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prompts/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a prompt back
         * @description While it is pending. Taking it back again changes nothing.
         */
        post: operations["cancelPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}/shifts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the shifts of a group in a window
         * @description Who is on call from `from` up to `to`, for a calendar. What is past is told as it was held: each part by the rotation and the overrides of then. What is to come follows the present ones.
         */
        get: operations["listOncallShifts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge a page
         * @description Takes it over: it goes no further, and leaves the phones of everybody else. The first acknowledgement is kept; later ones are answered alike.
         */
        post: operations["acknowledgePage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/escalate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Escalate a page
         * @description The next step of its escalation runs now. Two people who press in the same moment mean the same step: it runs once.
         */
        post: operations["escalatePage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{id}/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Agree to be signed in to a web app
         * @description For the signed-in person alone, as long as the app keeps its origin and the person stays in its team. A repeated consent changes what the app is told.
         */
        post: operations["giveConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{id}/disclosure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what a web app is told of the person
         * @description From the next request on. What is absent stays as it is.
         */
        patch: operations["changeDisclosure"];
        trace?: never;
    };
    "/apps/{id}/passes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a web app behind a connector
         * @description A pass for one use within a minute, through a route that leads to this app. The person must have agreed to be signed in.
         */
        post: operations["issuePass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invites/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at an invite
         * @description Which team it is for, before it is accepted. `addressFits` is false where the account needs another address, or has to verify its own first.
         */
        get: operations["previewInvite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invites/{code}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invite
         * @description Makes the account a member. An invite for an address is for the account that has verified it, and good once; one for a domain is for all accounts with a verified address in it, as long as it is the verified domain of the team. An account is in one family at most.
         */
        post: operations["acceptInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the accounts of the installation
         * @description All that are not deleted, the newest first; with `query`, those with that text in name or address. The listing is recorded.
         */
        get: operations["listInstallationAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend an account
         * @description All its credentials are refused within 5 seconds, until it is resumed. Nothing is deleted.
         */
        post: operations["suspendAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume an account
         * @description Its credentials are accepted again.
         */
        post: operations["resumeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the teams of the installation
         * @description Families too, the newest first. The listing is recorded.
         */
        get: operations["listInstallationTeams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a device
         * @description It gets no pushes until its app opens again and registers it.
         */
        delete: operations["removeDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook services
         * @description The account's own and those shared with its family, never with their URLs.
         */
        get: operations["listServices"];
        put?: never;
        /**
         * Make a webhook service
         * @description Everybody who knows its URL can send to the person. The URL is shown this once. `preset` names the form in which the sender writes.
         */
        post: operations["createService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a webhook service
         * @description One of the account's own, or one that its family shares. Without its URL.
         */
        get: operations["getService"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook service
         * @description Its URL answers 404 from then on. What it has sent stays in the inbox. For its creator, and the owner of the  family that shares it.
         */
        delete: operations["deleteService"];
        options?: never;
        head?: never;
        /**
         * Change a webhook service
         * @description What is absent stays; null clears. The owner of the family that shares it may change `title` and nothing else.
         */
        patch: operations["changeService"];
        trace?: never;
    };
    "/services/{id}/payloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what came in last
         * @description The last 20 payloads of 7 days, the newest first, with what was made of each, or why it was refused. For the creator of the service. All of them come at once.
         */
        get: operations["listServicePayloads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/services/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Share a webhook service with the family
         * @description Each member has what comes in from then on in an inbox of their own. Null takes it back; so does leaving the family. Only for its creator.
         */
        post: operations["shareService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/services/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook service a new URL
         * @description The old URL ends at once. The new one is shown this once. Only for its creator.
         */
        post: operations["rotateService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reply webhooks
         * @description The newest first, never with their signing secrets or the values of their headers.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Save a reply webhook
         * @description It hears of prompts that name it, of those of services whose default it is, and with `isDefault` of all. Events are signed as Standard Webhooks 1.0.0 has it; the secret is shown this once. The address must be public: a host that resolves to any other address is refused (422 `DESTINATION_NOT_ALLOWED`); one that does not resolve yet is taken, and checked again at each delivery. At the hostname of a connector of the account, or of a team that it is in, a path is accepted only from a manager of the connector, and only where a route has opened it (`callbackPaths`).
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a reply webhook
         * @description And what it was sent in the last 30 days, the newest first.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a reply webhook
         * @description What still waits is given up. Services whose default it was have none.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a reply webhook
         * @description What is absent stays. `headers` replaces the whole list; a header without a value, or with `********`, keeps the saved one. Saved values go to the origin that they were saved for: with a `url` of another origin, headers that are not sent again with their values are dropped, and one without a value is refused. `enabled: false` gives up what still waits. `isDefault: true` replaces any other default.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a reply webhook
         * @description Sends a signed sample once, with `"test": true`, also while the webhook is disabled. The answer says what came of it: `delivery.status` is `delivered` or `failed`. Ten times a minute at most.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a reply webhook a new signing secret
         * @description For 24 hours deliveries carry a signature of the old one too, unless `revokeOld` ends it at once. The new one is shown this once.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what services have sent
         * @description Of the last 90 days, the newest first.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity-feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read everything that happened
         * @description 20 items a page, the newest first. A page past the end is empty.
         */
        get: operations["readActivityFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the live activities of the account
         * @description Those of all tokens in the last 30 days, the newest first.
         */
        get: operations["listActivities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List teams
         * @description The families and workplace teams that the account is in.
         */
        get: operations["listTeams"];
        put?: never;
        /**
         * Make a family or a team
         * @description Makes a family, of which the account is the owner. An account is in one family at most, and owns five workplace teams at most. Workplace teams are made by the operator of the installation, and 403 to others for `kind: team` and for none; unless it says `TEAMS_MODE=open`.
         */
        post: operations["createTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a team and its members
         * @description The members come by role, then by name.
         */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        /**
         * Delete a team
         * @description For the owner. All that is in it ends with it; what members shared with it is theirs alone again.
         */
        delete: operations["deleteTeam"];
        options?: never;
        head?: never;
        /**
         * Change a team
         * @description The name is for admins, the rest for the owner; when one field is not for the role of the account, nothing is changed. `autoJoinVerifiedDomain` is for workplace teams.
         */
        patch: operations["changeTeam"];
        trace?: never;
    };
    "/teams/{id}/domain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Name the e-mail domain of a team
         * @description For the owner. Answers with the TXT record that proves it; the same domain keeps its record, another one gets a new one. A domain that was proved before stays until this one is.
         */
        post: operations["setTeamDomain"];
        /**
         * Take its domain off a team
         * @description For the owner: the pending one and the proved one, and nobody joins by it any more.
         */
        delete: operations["clearTeamDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/domain/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove the domain of a team
         * @description For the owner. Looks for the TXT record now: ten times in ten minutes and sixty times a day. What the name servers say is never kept; that they failed is said again for 30 seconds. A domain is proved by one team.
         */
        post: operations["verifyTeamDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/oncall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the on-call groups of a team
         * @description Each with the people on call now and next. A family has none.
         */
        get: operations["listOncallGroups"];
        put?: never;
        /**
         * Make an on-call group
         * @description Members of the team who take turns. Turns change on local days at `handoffAt`: a time that a clock change leaves out moves forward, of one that comes twice the first counts.
         */
        post: operations["createOncallGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one’s own shifts and pages
         * @description In all groups of all teams that the account is in.
         */
        get: operations["getOwnOncall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an on-call group
         * @description With the people on call now and next, and the current and future overrides. With `at`: the people on call at that time, as known then, not as rewritten since.
         */
        get: operations["getOncallGroup"];
        put?: never;
        post?: never;
        /**
         * Delete an on-call group
         * @description For admins. Its open pages are resolved.
         */
        delete: operations["deleteOncallGroup"];
        options?: never;
        head?: never;
        /**
         * Change an on-call group
         * @description For admins. What is not named of the rotation stays, also the local date that turns are counted from. Open pages keep the escalation they began with.
         */
        patch: operations["changeOncallGroup"];
        trace?: never;
    };
    "/oncall/{groupId}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain the person on call at a time
         * @description The rule, the turn, the override, and the clock change that moved the handoff, in fields and in words. Of a time in the past: as it was known then.
         */
        get: operations["explainOncall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}/coverage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the gaps of a schedule
         * @description When nobody is on call in the next 366 days, and when several people are at once.
         */
        get: operations["getOncallCoverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/me/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a calendar of one’s own shifts
         * @description A secret URL that a calendar program subscribes to: an iCalendar object of the shifts of 180 days in all groups. It is shown once, and ends the one before.
         */
        post: operations["openOwnCalendar"];
        /**
         * End the calendar of one’s own shifts
         * @description Its URL is 404 from now on.
         */
        delete: operations["closeOwnCalendar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a calendar of a group’s shifts
         * @description A secret URL that a calendar program subscribes to: an iCalendar object of the shifts of 180 days. It is shown once, and ends the account’s one before. It ends too when the person leaves the team or the group is deleted.
         */
        post: operations["openOncallCalendar"];
        /**
         * End a calendar of a group’s shifts
         * @description The account’s own: its URL is 404 from now on.
         */
        delete: operations["closeOncallCalendar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try another rotation, escalation or override
         * @description Shows the shifts to come and the gaps of a changed schedule, and replays the pages of the last 90 days by it, up to when somebody took each; what is not named is as it is. Nothing is sent, and nothing kept. An account may ask 10 times a minute.
         */
        post: operations["simulateOncall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}/overrides": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put somebody on call for a window
         * @description Admins name any member of the team, members themselves. At most 31 days long and 366 days ahead; a start in the past becomes now. Two overrides of a group do not overlap.
         */
        post: operations["createOverride"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}/overrides/{overrideId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an override
         * @description For admins and the person of the override. A running override ends now, and its past part stays.
         */
        delete: operations["deleteOverride"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the web apps of a team
         * @description Those that members have moved into it, by name.
         */
        get: operations["listTeamApps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the device groups of a team
         * @description For everybody in it.
         */
        get: operations["listDeviceGroups"];
        put?: never;
        /**
         * Make a device group
         * @description People and single devices of the team that can be reached together, as `deviceGroupId`. Needs the role `admin`, in a family `owner`. A person who leaves the team leaves the group, and a device that is removed from its account does. No two groups of a team have names that differ in their case alone.
         */
        post: operations["createDeviceGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pages of a team
         * @description `status` may be given more than once. Pages that are over are left out when the team keeps nothing for that long.
         */
        get: operations["listPages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oncall/{groupId}/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Page an on-call group
         * @description Notifies the person on call, or everybody in the rotation when nobody is. Each step of the escalation runs when nobody has acknowledged it so long after the one before, and at once when no device was reached. While a page of the group with the same `dedupKey` is open, it absorbs this one: 200, `deduplicated`, and nothing is sent. It counts as a page, of which an account has a reserve, and not as a send.
         */
        post: operations["triggerPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a page
         * @description For the members of its team, also when its group is gone.
         */
        get: operations["getPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a page
         * @description Ends it, whatever its state, and takes it off all phones. One that is over stays as it is.
         */
        post: operations["resolvePage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a device group
         * @description For everybody in the team.
         */
        get: operations["getDeviceGroup"];
        put?: never;
        post?: never;
        /**
         * Delete a device group
         * @description What was sent to it stays with those who got it. Needs the role `admin`, in a family `owner`.
         */
        delete: operations["deleteDeviceGroup"];
        options?: never;
        head?: never;
        /**
         * Change a device group
         * @description What is absent stays; a list is replaced as a whole. Needs the role `admin`, in a family `owner`.
         */
        patch: operations["changeDeviceGroup"];
        trace?: never;
    };
    "/teams/{id}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices of a team
         * @description Those of its members, the last seen first. Needs the role `admin`, in a family `owner`.
         */
        get: operations["listTeamDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a team
         * @description What the account shared with the team is its own alone again. The owner has to make somebody else the owner first.
         */
        post: operations["leaveTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description For admins and the owner; an admin is removed by the owner only. Removing oneself is leaving.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Admins and the owner make members admins and admins members. `owner` transfers the ownership and is for the owner, who is an admin from then on, in a family a member. Everybody but the owner of a family is a member.
         */
        patch: operations["changeMemberRole"];
        trace?: never;
    };
    "/teams/{id}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invites
         * @description For admins and the owner, the newest first. An invite is listed until 90 days after its expiry; one that is for more than one person is open until it expires or is revoked, however often it was accepted.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Invite people into a team
         * @description For admins and the owner; only the owner invites admins. Good for 7 days: with `email` for one account that has verified this address, with `domain` for all accounts with a verified address in the verified domain of the team, with neither for everybody with the link. The code is shown this once. `url` leads to a page that says what the invite is for and how a person who is signed in accepts it; opening it accepts nothing. In a family an open invite for an address keeps a seat.
         */
        post: operations["createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/invites/{inviteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invite
         * @description For admins and the owner. It is dead at once; revoking it again changes nothing.
         */
        delete: operations["revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List web apps
         * @description Those that the account can open, its own and those of its teams, by name.
         */
        get: operations["listApps"];
        put?: never;
        /**
         * Add a web app
         * @description One of the account itself. Where it has one with this URL already, that gets the name, the icon and the project, and the answer is 200; what is absent stays as it is.
         */
        post: operations["addApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a web app
         * @description Of the account, or of a team that it is in. What is told of consent and of opening is that of the account that asks.
         */
        get: operations["getApp"];
        put?: never;
        post?: never;
        /**
         * Remove a web app
         * @description An app of a team can be removed by the member who added it and by admins. All consents and sessions end.
         */
        delete: operations["removeApp"];
        options?: never;
        head?: never;
        /**
         * Change a web app
         * @description Absent fields stay. An app of a team can be changed by the member who added it and by admins. Another origin ends all consents and signs everybody out of the app; a URL of the same origin does not. Consent and disclosure cannot be changed here.
         */
        patch: operations["changeApp"];
        trace?: never;
    };
    "/apps/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back the consent of the account
         * @description Of the account that asks alone, also where it has given none. The person is asked again when they open the app; no route of this API agrees for them.
         */
        post: operations["revokeAppConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a web app into a team
         * @description Or back to the own apps of the account, with `teamId: null`. Only the account that added it can move it, and its consent stays; everybody else approves for themselves. The app returns when the team is deleted, or when that account leaves. Other members of the team are told unless `notify` is false.
         */
        post: operations["shareApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connectors
         * @description Those of the account itself, and those of the teams that it is an admin of.
         */
        get: operations["listConnectors"];
        put?: never;
        /**
         * Register a connector
         * @description One of the account, or of a team that it is an admin of. The hostname is kept in lower case and in its A-label form, and no two connectors have the same. A connector of an account serves its own apps, one of a team those of the team; its on-call group is one of that team. The secret is shown this once.
         */
        post: operations["registerConnector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a connector
         * @description One of a team is for its admins.
         */
        get: operations["getConnector"];
        put?: never;
        post?: never;
        /**
         * Remove a connector
         * @description Sessions through it end, callbacks that wait for it are canceled, its hostname is free.
         */
        delete: operations["removeConnector"];
        options?: never;
        head?: never;
        /**
         * Change a connector
         * @description What is absent stays as it is; `routes` replaces all routes. `enabled: false` refuses all visitors, while heartbeats continue.
         */
        patch: operations["changeConnector"];
        trace?: never;
    };
    "/connectors/{id}/access/revalidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whether many sessions go on
         * @description For the program at the other end, about the sessions that have something open: one question for up to 50 of them, which counts as one request. Each session is answered for itself, as `POST /connectors/{id}/access` would answer it, and counts as used.
         */
        post: operations["revalidateAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a connector another secret
         * @description The former one is good for another 24 hours, unless `revokeOld` ends it at once.
         */
        post: operations["rotateConnectorSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects of the inbox
         * @description Each with its counts and its newest item, the newest first.
         */
        get: operations["listInboxProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the inbox
         * @description Without bodies. Reading the list marks nothing as read.
         */
        get: operations["listInboxNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox/notifications/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a list as read
         * @description Marks what the list that gave the token could show. What came later, or belongs to another project than the list was filtered by, stays unread.
         */
        post: operations["markInboxRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one item of the inbox
         * @description With its body and what the push providers have said. Does not mark it as read.
         */
        get: operations["getInboxNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox/notifications/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark one item as read
         * @description An item that is read already keeps its first `readAt`.
         */
        post: operations["markInboxNotificationRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox/notifications/{id}/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark one item as unread
         * @description The opposite of reading it.
         */
        post: operations["markInboxNotificationUnread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how the installation is
         * @description Replicas answer for themselves; accepted and refused attempts are those that they counted since their start.
         */
        get: operations["getInstallationHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List work that was given up
         * @description The newest first, at most a thousand of each queue.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/dead-letters/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try work again that was given up
         * @description What fails again stays.
         */
        post: operations["retryDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/dead-letters/{id}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Drop work that was given up
         * @description For good.
         */
        post: operations["dropDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hear what changes
         * @description Server-sent events: `inbox.changed`, `devices.changed`, `prompts.changed` and `activities.changed` tell ids and times, `reset` that everything has to be read again. `Last-Event-ID` goes on where a stream has ended.
         */
        get: operations["openStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read or export the audit log of a team
         * @description For admins and the owner, the newest entry first. Each entry has the hash of the one before it, and `metadata.proof` what a verifier needs beside the other fields: an entry that was altered, taken out or moved is found. `format=csv` gives up to 50,000 entries as a file, and begins with the signed entry of the export itself; `limit` and `cursor` do not apply to it; `X-Audit-Truncated` says that there are more. A cell that a spreadsheet would calculate has a quote before it. The keys of the signatures are at `/.well-known/carillon/audit-keys.json`.
         */
        get: operations["readAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A visitor may come in, as it is at this moment. */
        AccessGranted: {
            /** @constant */
            allowed: true;
            /** @description A new one for a pass, the same one for a session. */
            session: string;
            /**
             * Format: date-time
             * @description At the latest; half an hour without a request ends it before.
             */
            sessionExpiresAt: string;
            user: {
                id: string;
                /** @description Only as the person has agreed to at this moment. */
                name?: string;
                /** @description Only as the person has agreed to at this moment. Anybody may write any address into their profile: check `emailVerified` before you decide by it. */
                email?: string;
                /** @description With `email`: whether it is known to be the person’s own. */
                emailVerified?: boolean;
            };
            appId: string | null;
            route: string;
            /**
             * Format: uri
             * @description Where the request belongs.
             */
            target: string;
        };
        Account: {
            id: string;
            email: string;
            /** @description Whether the address is known to be the account’s own. */
            emailVerified: boolean;
            name: string;
            timezone: string | null;
            /** @description Whether the account may use the operator routes. */
            operator: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        ActivityFeedItem: {
            id: string;
            /** @enum {string} */
            kind: "notification" | "live_activity" | "response";
            sourceName: string;
            /** Format: uri */
            sourceImageUrl: string | null;
            title: string;
            detail: string | null;
            /** Format: uri */
            url: string | null;
            /** @description How a prompt ended; what became of a live activity. */
            result: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        ActivityFeedPage: {
            items: components["schemas"]["ActivityFeedItem"][];
            page: number;
            pageSize: number;
            /** @description How many items there are on all pages. */
            total: number;
        };
        AddApp: {
            name: string;
            /**
             * Format: uri
             * @description An absolute https address.
             */
            url: string;
            /**
             * Format: uri
             * @description An absolute https address.
             */
            iconUrl?: string | null;
            projectId?: string | null;
            projectName?: string | null;
        };
        AddPasskey: {
            response: components["schemas"]["RegistrationResponse"];
            name?: string;
        };
        /** @description A notification that an agent has sent. */
        AgentNotification: {
            id: string;
            title: string;
            body: string;
            /** Format: uri */
            imageUrl: string | null;
            /**
             * Format: uri
             * @description Where a tap leads.
             */
            url: string | null;
            /** Format: date-time */
            createdAt: string;
            projectId?: string | null;
            summary?: string | null;
            /** @enum {string} */
            bodyFormat?: "text" | "markdown";
            appId?: string;
        };
        AgentNotificationCreated: {
            notification: components["schemas"]["AgentNotification"];
            /** @description Devices whose push provider has accepted the push by the time of the answer. */
            accepted: number;
            /** @description True when an earlier request with this `Idempotency-Key` made it. */
            idempotent?: boolean;
            /** @description A word on what happened, when there is one to say. */
            message?: string;
        };
        /** @description A sender outside that reaches a person through a URL of its own. */
        AgentService: {
            id: string;
            title: string;
            /** Format: uri */
            imageUrl: string | null;
            /**
             * Format: uri
             * @description Where a tap on its notifications leads when they do not say.
             */
            url: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The family that sees it. */
            familyId: string | null;
            defaultReplyWebhookId: string | null;
            /** @description The form in which its sender writes. */
            preset: string;
            /** @description The on-call group that is paged when something fires. */
            oncallGroupId: string | null;
            /**
             * @description The lowest severity that pages the group; an unknown one always does.
             * @enum {string}
             */
            oncallFrom: "info" | "warning" | "error" | "critical";
            /** @description True when the group could not be paged any more: it is gone, or its creator left the team. */
            oncallGroupGone: boolean;
            /** @description How often its sender calls at least; null when that is not watched. */
            expectEverySeconds: number | null;
            /** @description How much later than that a call may come. */
            graceSeconds: number;
            /** @description Whether requests must be signed by their sender. */
            hasSenderSecret: boolean;
            /**
             * @description Whether a group of alerts is one event, or each of its alerts.
             * @enum {string}
             */
            eventsPer: "group" | "alert";
        };
        AnswerInteraction: {
            /** @description `approved`, `denied`, `yes`, `no`, or for a reply any text. May hold line breaks. */
            answer: string;
            /** @description The `actionDigest` of what the person saw. */
            actionDigest: string;
            /** @description The device on which it was answered. An id that begins with `dev_`. */
            deviceId?: string;
            /** @description Proof by the device that its owner was there. Taken and not looked at yet. */
            assertion?: string;
        };
        /** @description A token of the account. */
        ApiToken: {
            id: string;
            name: string;
            /** @description How the token begins; the secret itself is never shown again. */
            prefix: string;
            scopes: components["schemas"]["Scope"][];
            /** Format: date-time */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Written at most once a minute.
             */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * @description `oauth` is the grant behind a connected remote tool client.
             * @enum {string}
             */
            kind?: "token" | "oauth";
            oauthClient?: {
                clientId: string;
                name: string;
            } | null;
        };
        /** @description A web app, of the account or of a team. */
        App: {
            id: string;
            name: string;
            origin: string;
            /** Format: uri */
            iconUrl: string | null;
            /** @description What a browser keeps of it belongs to this; when it changes, nothing of it is used any more. */
            storageScope: string;
            /** Format: uri */
            url: string;
            projectId: string | null;
            projectName: string | null;
            /** @description Whether the app is told the name of the account that asks. */
            shareName: boolean;
            /** @description Whether it is told the address. */
            shareEmail: boolean;
            /**
             * Format: date-time
             * @description When the account has agreed to be signed in.
             */
            consentedAt: string | null;
            /** Format: date-time */
            lastOpenedAt: string | null;
            createdBy: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            team: components["schemas"]["TeamSummary"] | null;
            addedBy: string | null;
        };
        AppSummary: {
            id: string;
            name: string;
            origin: string;
            /** Format: uri */
            iconUrl: string | null;
        };
        AssertionResponse: {
            clientDataJSON: string;
            authenticatorData: string;
            signature: string;
            userHandle?: string | null;
        };
        AttestationResponse: {
            clientDataJSON: string;
            attestationObject: string;
            /** @description Ignored. */
            authenticatorData?: string;
            /** @description Ignored. */
            publicKey?: string | null;
            /** @description Ignored. */
            publicKeyAlgorithm?: number;
            /** @description Ignored. */
            transports?: string[];
        };
        /** @description An action in a team, with its actor. */
        AuditLogEntry: {
            id: string;
            teamId: string;
            /** @description Null where no account did it. */
            actorUserId: string | null;
            /** @description As it was then; null also when it was erased. */
            actorName: string | null;
            actorTokenId: string | null;
            action: string;
            targetType: string | null;
            targetId: string | null;
            /** @description Names of changed fields with values from before and after; never a secret. */
            metadata: {
                /** @description What the hash covers and no other field tells. */
                proof: {
                    teamId: string;
                    /** @description 1 for the first entry of the team. */
                    sequence: number;
                    /** @description The oldest entry that retention had left then. */
                    keptFrom: number;
                    /** @description Absent where the text was erased. */
                    salt?: string;
                    /** @description Of name, address, program and metadata, with the salt, SHA-256 in hexadecimal. */
                    digest: string;
                    /** @description The installation has signed the hash. */
                    checkpoint?: {
                        /** @description The public key: `x` of its JWK. */
                        key: string;
                        /** @description Ed25519, base64url. */
                        signature: string;
                    };
                };
            } & {
                [key: string]: unknown;
            };
            ip: string | null;
            userAgent: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Of the entry before, zeros for the first, SHA-256 in hexadecimal. */
            previousHash: string;
            /** @description Of this entry, SHA-256 in hexadecimal. */
            hash: string;
        };
        AuditLogPage: {
            entries: components["schemas"]["AuditLogEntry"][];
            /** @description Give it as `cursor` to get the next page; null at the end. */
            nextCursor: string | null;
        };
        AuthenticationResponse: {
            response: components["schemas"]["AssertionResponse"];
            id: string;
            rawId: string;
            /** @enum {string} */
            type: "public-key";
            /**
             * @description Ignored.
             * @enum {string|null}
             */
            authenticatorAttachment?: "platform" | "cross-platform" | null;
            /** @description Ignored. */
            clientExtensionResults?: components["schemas"]["ExtensionResults"];
        };
        Bootstrap: {
            secret: string;
            /** Format: email */
            email: string;
            name: string;
            password: string;
            /** @enum {string} */
            client?: "app" | "browser";
        };
        /** @description Where a calendar program reads shifts, without any other credential. */
        CalendarUrl: {
            /**
             * Format: uri
             * @description Shown at no other time.
             */
            url: string;
        };
        ChangeApp: {
            name?: string;
            /**
             * Format: uri
             * @description Another origin ends every consent and every session. An absolute https address.
             */
            url?: string;
            /**
             * Format: uri
             * @description An absolute https address.
             */
            iconUrl?: string | null;
            projectId?: string | null;
            projectName?: string | null;
        };
        ChangeConnector: {
            name?: string;
            /** @description Replace all existing routes. */
            routes?: components["schemas"]["NewConnectorRoute"][];
            /** @description An id that begins with `ocg_`. */
            oncallGroupId?: string | null;
            enabled?: boolean;
        };
        ChangeDeviceGroup: {
            name?: string;
            /** @description All of them from now on. */
            userIds?: string[];
            /** @description All of them from now on. */
            deviceIds?: string[];
        };
        ChangeDeviceTokens: {
            pushToken?: string;
            pushToStartToken?: string;
            /** @enum {string} */
            environment: "sandbox" | "production";
        };
        ChangeDisclosure: {
            /** @description Whether the app is told the name. */
            shareName?: boolean;
            /** @description Whether the app is told the e-mail address. */
            shareEmail?: boolean;
        };
        ChangeOncallGroup: {
            name?: string;
            rotation?: components["schemas"]["ChangedRotation"];
            escalation?: components["schemas"]["EscalationStep"][];
            /** @description Notifies those whose shifts begin or end. */
            handoffNotices?: boolean;
        };
        ChangePassword: {
            current?: string;
            next: string;
        };
        ChangeProfile: {
            name?: string;
            /** Format: email */
            email?: string;
            timezone?: string | null;
        };
        ChangeRole: {
            /**
             * @description `owner`: transfers the ownership.
             * @enum {string}
             */
            role: "member" | "admin" | "owner";
        };
        ChangeService: {
            title?: string;
            /**
             * Format: uri
             * @description An absolute https address.
             */
            imageUrl?: string | null;
            /**
             * Format: uri
             * @description An absolute http or https address, or one of an app.
             */
            url?: string | null;
            /** @description An id that begins with `whk_`. */
            defaultReplyWebhookId?: string | null;
            /** @enum {string} */
            preset?: "plain" | "auto" | "alertmanager" | "grafana" | "github" | "gitlab" | "sentry" | "stripe" | "uptime-kuma" | "healthchecks" | "gatus";
            /** @enum {string} */
            eventsPer?: "group" | "alert";
            /** @description One that the caller may page. Needs `oncall:write` too. An id that begins with `ocg_`. */
            oncallGroupId?: string | null;
            /** @enum {string} */
            oncallFrom?: "info" | "warning" | "error" | "critical";
            /** @description How often its sender calls at least, a minute to 31 days. A longer silence is an event, or a page. */
            expectEverySeconds?: number | null;
            /** @description How much later a call may come, 7 days at most. */
            graceSeconds?: number;
            /** @description The secret with which its sender signs; shown at no time. Null ends the check. */
            senderSecret?: string | null;
        };
        ChangeTeam: {
            name?: string;
            /** @description Needs a verified domain. */
            autoJoinVerifiedDomain?: boolean;
            /** @description How long audit entries, events and closed pages are kept, in days; null: for ever. */
            retentionDays?: number | null;
        };
        ChangeWebhook: {
            name?: string;
            /**
             * Format: uri
             * @description An absolute https address without a fragment.
             */
            url?: string;
            /** @enum {string} */
            preset?: "generic" | "grok" | "slack";
            headers?: components["schemas"]["ChangedHeader"][];
            events?: ("interaction.answered" | "interaction.expired" | "interaction.canceled")[];
            enabled?: boolean;
            isDefault?: boolean;
        };
        ChangedHeader: {
            name: string;
            /** @description Absent or `********`: the saved value of that name stays. */
            value?: string;
        };
        /** @description The group, and what its schedule leaves open. */
        ChangedOncallGroup: {
            id: string;
            teamId: string;
            name: string;
            rotation: {
                /** @description In the order of their turns. */
                members: components["schemas"]["OncallPerson"][];
                /** @enum {string} */
                period: "daily" | "weekly";
                /** @description `HH:mm` on the wall clock of the zone. */
                handoffAt: string;
                /** @description An IANA name. */
                timezone: string;
                /**
                 * Format: date-time
                 * @description The first handoff.
                 */
                startsAt: string;
            };
            escalation: {
                afterMinutes: number;
                /** @enum {string} */
                target: "next" | "group";
            }[];
            /** @description Whether those whose shifts begin or end are notified. */
            handoffNotices: boolean;
            current: components["schemas"]["OncallShift"] | null;
            /** @description Ten at most, that begin within 60 days. */
            upcoming: components["schemas"]["OncallShift"][];
            /** @description Those that are not over. */
            overrides: components["schemas"]["OncallOverride"][];
            openPageCount: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            warnings: components["schemas"]["OncallWarnings"];
        };
        ChangedRotation: {
            /** @description In the order of their turns. */
            userIds?: string[];
            /** @enum {string} */
            period?: "daily" | "weekly";
            /** @description `HH:mm` on the wall clock of the zone. */
            handoffAt?: string;
            /** @description An IANA name. */
            timezone?: string;
            /**
             * Format: date-time
             * @description The first handoff is on its local date. From 1900 to 2199.
             */
            startsAt?: string;
        };
        /** @description A command line that asks for an API token. */
        CommandLineDetails: {
            client: string;
            /** @description The machine, as the command line names it. */
            host: string;
            scopes: components["schemas"]["GrantableScope"][];
            /**
             * Format: date-time
             * @description The end of its token, unless the person says another one.
             */
            expiresAt: string;
        };
        ConfirmSignInLink: {
            totp?: string;
            recoveryCode?: string;
            /** @enum {string} */
            client?: "app" | "browser";
            token: string;
        };
        /** @description What exposes a private HTTP service under a public hostname. */
        Connector: {
            id: string;
            /** @description While it is false nobody is let in; heartbeats are taken all the same. */
            enabled: boolean;
            name: string;
            /** @description What the provider of the tunnel calls it. */
            tunnelId: string;
            /** @description Unique among the connectors that there are. */
            hostname: string;
            routes: components["schemas"]["ConnectorRoute"][];
            /**
             * @description `offline` when no heartbeat came for 90 seconds.
             * @enum {string}
             */
            status: "online" | "offline" | "unknown";
            /**
             * Format: date-time
             * @description When the last heartbeat came.
             */
            lastSeenAt: string | null;
            teamId: string | null;
            oncallGroupId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            createdBy: string | null;
            /** @description As the last heartbeat that named one has it. */
            agentVersion: string | null;
            /** Format: date-time */
            secretRotatedAt: string | null;
        };
        ConnectorRoute: {
            /** @description Unique in its connector. */
            name: string;
            /**
             * Format: uri
             * @description The private address behind it, which Carillon never calls.
             */
            target: string;
            /**
             * Format: uri
             * @description The public address: on the hostname of the connector, or below it.
             */
            url: string;
            appId?: string;
            /** @description Whether anybody is let in. */
            enabled?: boolean;
            /** @description Public paths at and below which reply webhooks may deliver; absent where nowhere. */
            callbackPaths?: string[];
        };
        /** @description A client that asks for access to the account. */
        ConsentDetails: {
            client: {
                name: string;
                /** @description The host of its metadata document; null for a registered client. */
                host: string | null;
                /** @description Where the answer goes, with the port. */
                redirectHost: string;
                /** @description The answer goes to a program on the computer of the person, which anybody can claim to be. */
                loopback: boolean;
            };
            /**
             * Format: uri
             * @description What the tokens are good for.
             */
            resource: string;
            account: {
                name: string;
                email: string;
            };
            scopes: {
                scope: components["schemas"]["GrantableScope"];
                basic: boolean;
                write: boolean;
                preselected: boolean;
            }[];
        };
        CreateDeviceGroup: {
            name: string;
            userIds?: string[];
            deviceIds?: string[];
        };
        CreateInvite: {
            /**
             * Format: email
             * @description For the account with this verified address, once.
             */
            email?: string | null;
            /** @description For every account with a verified address in it; must be the verified domain of the team. */
            domain?: string | null;
            /**
             * @description `member` unless said; `admin` is for the owner to give.
             * @enum {string}
             */
            role?: "admin" | "member";
        };
        CreateOncallGroup: {
            name: string;
            rotation: components["schemas"]["GivenRotation"];
            /** @description Unless said: the next one after 5 minutes, everybody after 10 more. */
            escalation?: components["schemas"]["EscalationStep"][];
            /** @description Notifies those whose shifts begin or end; false unless said. */
            handoffNotices?: boolean;
        };
        CreateOverride: {
            /** @description An id that begins with `usr_`. */
            userId: string;
            /**
             * Format: date-time
             * @description From 1900 to 2199.
             */
            startsAt: string;
            /**
             * Format: date-time
             * @description From 1900 to 2199.
             */
            endsAt: string;
        };
        CreateService: {
            title: string;
            /**
             * Format: uri
             * @description An absolute https address.
             */
            imageUrl?: string | null;
            /**
             * Format: uri
             * @description An absolute http or https address, or one of an app.
             */
            url?: string | null;
            /** @description An id that begins with `whk_`. */
            defaultReplyWebhookId?: string | null;
            /**
             * @description `plain` unless said.
             * @enum {string}
             */
            preset?: "plain" | "auto" | "alertmanager" | "grafana" | "github" | "gitlab" | "sentry" | "stripe" | "uptime-kuma" | "healthchecks" | "gatus";
            /**
             * @description `group` unless said.
             * @enum {string}
             */
            eventsPer?: "group" | "alert";
            /** @description The group to page when something fires, one that the caller may page. Needs `oncall:write` too. An id that begins with `ocg_`. */
            oncallGroupId?: string | null;
            /**
             * @description `info` unless said.
             * @enum {string}
             */
            oncallFrom?: "info" | "warning" | "error" | "critical";
            /** @description How often its sender calls at least, a minute to 31 days. A longer silence is an event, or a page. */
            expectEverySeconds?: number | null;
            /** @description How much later a call may come, 7 days at most; 0 unless said. */
            graceSeconds?: number;
            /** @description The secret with which its sender signs; shown at no time. Null ends the check. */
            senderSecret?: string | null;
        };
        CreateTeam: {
            /**
             * @description `family`. Where the installation lets everybody make workplace teams (`TEAMS_MODE=open`) also `team`, which is meant too when it is absent.
             * @enum {string}
             */
            kind?: "family" | "team";
            name: string;
        };
        CreateToken: {
            name: string;
            scopes: ("notifications:send" | "interactions:create" | "interactions:read" | "activities:read" | "activities:write" | "services:read" | "services:write" | "devices:read" | "events:read" | "apps:read" | "apps:write" | "devices:write" | "inbox:read" | "inbox:write" | "billing:read" | "tokens:manage" | "teams:read" | "teams:write" | "oncall:read" | "oncall:write" | "connectors:read" | "connectors:write")[];
            /**
             * Format: date-time
             * @description From 1900 to 2199.
             */
            expiresAt?: string | null;
        };
        CreateWebhook: {
            name: string;
            /**
             * Format: uri
             * @description An absolute https address without a fragment.
             */
            url: string;
            /** @enum {string} */
            preset?: "generic" | "grok" | "slack";
            headers?: components["schemas"]["NewHeader"][];
            events?: ("interaction.answered" | "interaction.expired" | "interaction.canceled")[];
            enabled?: boolean;
            isDefault?: boolean;
            /** @description A secret that the receiver has issued; without it one is made. */
            signingSecret?: string;
        };
        CredentialProperties: {
            rk?: boolean;
        };
        DecideCommandLine: {
            /** @enum {string} */
            decision: "approve" | "deny";
            scopes: ("notifications:send" | "interactions:create" | "interactions:read" | "activities:read" | "activities:write" | "services:read" | "services:write" | "devices:read" | "events:read" | "apps:read" | "apps:write" | "devices:write" | "inbox:read" | "inbox:write" | "billing:read" | "teams:read" | "teams:write" | "oncall:read" | "oncall:write" | "connectors:read" | "connectors:write")[];
            name?: string;
            /**
             * Format: date-time
             * @description 90 days from now unless said, 366 at most. From 1900 to 2199.
             */
            expiresAt?: string | null;
        };
        DecideInteraction: {
            /** @enum {string} */
            decision: "approve" | "deny";
            scopes: ("notifications:send" | "interactions:create" | "interactions:read" | "activities:read" | "activities:write" | "services:read" | "services:write" | "devices:read" | "events:read" | "apps:read" | "apps:write" | "devices:write" | "inbox:read" | "inbox:write" | "billing:read" | "teams:read" | "teams:write" | "oncall:read" | "oncall:write" | "connectors:read" | "connectors:write")[];
        };
        /** @description A phone with the app, or a browser with a push subscription, signed in to the account. */
        Device: {
            id: string;
            /**
             * @description `web` is a browser; the Agent API lists it only with `platform=web`.
             * @enum {string}
             */
            platform: "ios" | "android" | "web";
            deviceName: string | null;
            /** @description Whether it gets pushes: false once its provider has said that the app is gone. */
            active: boolean;
            liveActivitiesCapable: boolean;
            /** @enum {string|null} */
            liveActivityTokenEnvironment: "sandbox" | "production" | null;
            /** Format: date-time */
            liveActivityTokenUpdatedAt: string | null;
            interactiveLiveActivitiesCapable: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastSeenAt: string;
        };
        /** @description People and devices of a team that can be reached together. */
        DeviceGroup: {
            id: string;
            teamId: string;
            name: string;
            /** @description People of the team with all their active devices. */
            members: {
                userId: string;
                name: string;
                email: string;
                /** Format: uri */
                image: string | null;
            }[];
            /** @description Single devices of people of the team. */
            devices: {
                id: string;
                deviceName: string | null;
                userId: string;
                userName: string;
            }[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        DeviceReceipt: {
            notificationId: string;
            /**
             * Format: date-time
             * @description From 1900 to 2199.
             */
            receivedAt: string;
        };
        /** @description A question that a signed-in person has ended. The names are absent when they could not be looked up. */
        EndedInteraction: {
            id: string;
            title: string;
            prompt: string;
            /** @enum {string} */
            kind: "approval" | "yes_no" | "reply";
            /** @enum {string} */
            presentation: "notification" | "live_activity";
            /**
             * @description All but `pending` are final.
             * @enum {string}
             */
            status: "pending" | "approved" | "denied" | "yes" | "no" | "replied" | "canceled" | "expired";
            /** @description What a person can choose; to a reply any other text may be given too. */
            choices: string[];
            /** @description `approved`, `denied`, `yes`, `no`, or the text of the person. */
            response: string | null;
            /** Format: uri */
            imageUrl: string | null;
            /** Format: uri */
            url: string | null;
            /** @description `sha256:` and 64 hex digits: fixes what the person saw. */
            actionDigest: string;
            primaryLabel: string | null;
            secondaryLabel: string | null;
            /** @description Devices whose push provider has accepted it. */
            accepted: number;
            respondingDeviceId: string | null;
            respondingUserId: string | null;
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            respondedAt: string | null;
            /** Format: date-time */
            canceledAt: string | null;
            /** @description As it is now; null also when that account is deleted or suspended. */
            respondingUserName?: string | null;
            /** @description As it is now; null also when that device is removed or has no name. */
            respondingDeviceName?: string | null;
        };
        /** @description Why there is no other answer. */
        Error: {
            /** @description One sentence for people. */
            error: string;
            /** @description For programs. More may come under a status that is known. */
            code: string;
            issues?: components["schemas"]["Issue"][] | {
                host: string;
                expected: string;
                found: string[];
            };
            /** @description All scopes that the route needs. */
            required?: string[];
            /** @description The limit that was met. */
            limit?: number;
            /** @description Seconds to wait. */
            retryAfter?: number;
            /** @description The state that something is in. */
            status?: string;
            /** @description The live activity that is in the way. */
            activityId?: string;
            /** @description The devices that are in the way. */
            deviceIds?: string[];
            requestId?: string;
        };
        EscalatePage: {
            /** @description The `escalationStep` that the person saw: when somebody else has escalated it since, they meant the same and nothing more runs. */
            escalationStep?: number;
        };
        EscalationStep: {
            afterMinutes: number;
            /** @enum {string} */
            target: "next" | "group";
        };
        /** @description What came in through a service's URL, and what became of it. */
        Event: {
            id: string;
            serviceId: string;
            serviceTitle: string;
            title: string | null;
            body: string;
            /** Format: uri */
            imageUrl: string | null;
            /** Format: uri */
            url: string | null;
            /** @description What became of the push. */
            status: string;
            /** @description Devices whose provider took it. */
            deliveredCount: number;
            error: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        ExtensionResults: {
            credProps?: components["schemas"]["CredentialProperties"];
        };
        GiveConsent: {
            /** @description Whether the app is told the name. */
            shareName: boolean;
            /** @description Whether the app is told the e-mail address. */
            shareEmail: boolean;
        };
        GivenQuietHours: {
            /** @description `HH:mm` on the wall clock of the zone. */
            from: string;
            /** @description `HH:mm`, not itself quiet. */
            to: string;
            /** @description An IANA name. */
            timezone: string;
        };
        GivenRotation: {
            /** @description In the order of their turns. */
            userIds: string[];
            /** @enum {string} */
            period: "daily" | "weekly";
            /** @description `HH:mm` on the wall clock of the zone. */
            handoffAt: string;
            /** @description An IANA name. */
            timezone: string;
            /**
             * Format: date-time
             * @description The first handoff is on its local date; without it, it is the newest one before now. From 1900 to 2199.
             */
            startsAt?: string;
        };
        /** @enum {string} */
        GrantableScope: "notifications:send" | "interactions:create" | "interactions:read" | "activities:read" | "activities:write" | "services:read" | "services:write" | "devices:read" | "events:read" | "apps:read" | "apps:write" | "devices:write" | "inbox:read" | "inbox:write" | "billing:read" | "teams:read" | "teams:write" | "oncall:read" | "oncall:write" | "connectors:read" | "connectors:write";
        InboxNotificationDetail: {
            id: string;
            /**
             * @description `event` came by a webhook service, `notification` from an agent.
             * @enum {string}
             */
            origin: "event" | "notification";
            projectId: string | null;
            projectName: string | null;
            sourceName: string;
            /** Format: uri */
            sourceImageUrl: string | null;
            title: string;
            /** @description The summary, else the beginning of the body as plain text. */
            preview: string;
            /** Format: uri */
            url: string | null;
            /** @enum {string} */
            bodyFormat: "text" | "markdown";
            /** Format: date-time */
            readAt: string | null;
            /** Format: date-time */
            createdAt: string;
            app: components["schemas"]["AppSummary"] | null;
            body: string;
            summary: string | null;
            /** @description What became of the push; null when there was none. */
            status: string | null;
            pushReceipts?: components["schemas"]["PushReceipt"][];
        };
        InboxNotificationPage: {
            items: components["schemas"]["InboxNotificationSummary"][];
            /** @description Give it as `cursor` to get the next page; null at the end. */
            nextCursor: string | null;
            /** @description Give it to `read-all` to mark what this list could show, and nothing newer. */
            readThroughToken: string;
        };
        /** @description One item of the inbox, without its body. */
        InboxNotificationSummary: {
            id: string;
            /**
             * @description `event` came by a webhook service, `notification` from an agent.
             * @enum {string}
             */
            origin: "event" | "notification";
            projectId: string | null;
            projectName: string | null;
            sourceName: string;
            /** Format: uri */
            sourceImageUrl: string | null;
            title: string;
            /** @description The summary, else the beginning of the body as plain text. */
            preview: string;
            /** Format: uri */
            url: string | null;
            /** @enum {string} */
            bodyFormat: "text" | "markdown";
            /** Format: date-time */
            readAt: string | null;
            /** Format: date-time */
            createdAt: string;
            app: components["schemas"]["AppSummary"] | null;
        };
        InboxProject: {
            /** @description Null for all that has no project. */
            projectId: string | null;
            name: string;
            unreadCount: number;
            totalCount: number;
            latestTitle: string | null;
            latestPreview: string | null;
            /** Format: uri */
            latestImageUrl: string | null;
            /** Format: date-time */
            latestAt: string | null;
        };
        InboxProjects: {
            projects: components["schemas"]["InboxProject"][];
            /** @description In all projects, on whichever page. */
            totalUnread: number;
            /** @description Give it as `cursor` to get the next page; null at the end. */
            nextCursor: string | null;
        };
        InstallationHealth: {
            services: {
                name: string;
                /** @description The replicas that answered within half a second. */
                replicas: number;
                /** @description Those of them whose database answers and whose projections are current. */
                ready: number;
            }[];
            projections: {
                /** @description The service and the projection. */
                name: string;
                /** @description Null while it is unknown. */
                behindEvents: number | null;
                behindSeconds: number | null;
            }[];
            transports: {
                /** @description `apns`, `fcm` or `web`. */
                name: string;
                /** @description Attempts that the provider accepted, since the start of the replicas that answered. */
                accepted: number;
                /** @description Attempts that the provider refused for good, since then. */
                refused: number;
                /** @description Pushes that wait now; 100,000 of all at most are counted. */
                queued: number;
            }[];
        };
        /** @description The invite, as the invited person sees it. */
        InvitePreview: {
            team: {
                id: string;
                name: string;
                /** @enum {string} */
                kind: "family" | "team";
                memberCount: number;
            };
            /**
             * @description The role in the team after acceptance.
             * @enum {string}
             */
            role: "member" | "admin" | "owner";
            invitedBy: {
                userId: string;
                name: string;
            };
            /** @description Whose addresses it is for. */
            domain: string | null;
            /** @description Whether the verified address of the account is one that it is for. */
            addressFits: boolean;
            /** Format: date-time */
            expiresAt: string;
        };
        Issue: {
            /** @description Which field, such as `receipts.0.receivedAt`; empty for the body as a whole. */
            path: string;
            /** @description Part of a sentence that goes on after the path. */
            message: string;
            code: string;
        };
        IssuePass: {
            /** @description An id that begins with `con_`. */
            connectorId: string;
            /** @description The name of a route of the connector that leads to the app. */
            route: string;
        };
        LinkToken: {
            token: string;
        };
        /** @description An identity of another provider that signs the person in. */
        LinkedIdentity: {
            /** @description As the operator named it. */
            provider: string;
            /** @description As the provider names the person. */
            subject: string;
            /** @description As the provider named it when the identity was linked. */
            email: string | null;
            /** Format: date-time */
            linkedAt: string;
        };
        /** @description Progress that phones show as long as it lasts. */
        LiveActivity: {
            id: string;
            key: string | null;
            props: components["schemas"]["LiveActivityProps"];
            /** @enum {string} */
            status: "starting" | "active" | "partial" | "failed" | "ended" | "expired";
            /** @description 1 for the start, one more with every change. */
            sequence: number;
            /** @description Devices whose provider has accepted the latest change. */
            accepted: number;
            /** @description Devices whose provider has refused the latest change for good. */
            failed: number;
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: date-time */
            endedAt: string | null;
            readiness: components["schemas"]["LiveActivityReadiness"];
        };
        /** @description What the phones show: every prop, defaults filled, null where there is nothing. */
        LiveActivityProps: {
            title: string;
            subtitle: string | null;
            status: string | null;
            detail: string | null;
            progress: number | null;
            /** @enum {string} */
            layout: "standard" | "ring" | "hero" | "terminal" | "steps";
            /** @enum {string} */
            state: "running" | "waiting" | "success" | "warning" | "error";
            icon: string | null;
            accentColor: string | null;
            steps: {
                label: string;
                /** @enum {string} */
                state: "pending" | "active" | "done" | "failed";
            }[] | null;
            lines: string[] | null;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            endsAt: string | null;
            /** Format: uri */
            imageUrl: string | null;
            /** Format: uri */
            url: string | null;
            /** @description The prompt that it shows. Read-only. */
            interaction?: {
                id: string;
                /** @enum {string} */
                kind: "approval" | "yes_no" | "reply";
                primaryLabel: string | null;
                secondaryLabel: string | null;
            };
        };
        /** @description How far the devices are. */
        LiveActivityReadiness: {
            /** @description Devices that show it and take updates. */
            ready: number;
            /** @description Devices whose start has not been accepted yet. */
            queuedStarts: number;
            /** @description Devices that show it, but have not said yet where updates reach it. */
            awaitingUpdateToken: number;
            warnings: "update_token_delayed"[];
            /**
             * Format: date-time
             * @description When the next device start is made.
             */
            nextStartAt: string | null;
        };
        NewConnectorRoute: {
            /** @description Unique in its connector. */
            name: string;
            /**
             * Format: uri
             * @description The private address behind it. It is never called by Carillon. An absolute http or https address.
             */
            target: string;
            /**
             * Format: uri
             * @description On the hostname of the connector, or below it. An absolute https address.
             */
            url: string;
            /** @description The web app that it serves. An id that begins with `app_`. */
            appId?: string;
            /** @description True unless said. */
            enabled?: boolean;
            /** @description Public paths, at or below that of `url`, at and below which reply webhooks may deliver without a session. None unless said. */
            callbackPaths?: string[];
        };
        NewHeader: {
            name: string;
            value: string;
        };
        /** @description The access of a client, which a person has granted by OAuth. */
        OAuthGrant: {
            id: string;
            clientName: string;
            clientHost: string | null;
            /** Format: uri */
            resource: string;
            scopes: components["schemas"]["GrantableScope"][];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
        };
        Ok: {
            /** @constant */
            ok: true;
        };
        OncallCoverage: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** @description When nobody is on call. */
            gaps: {
                /** Format: date-time */
                startsAt: string;
                /** Format: date-time */
                endsAt: string;
            }[];
            /** @description When several people are on call at once. */
            overlaps: {
                /** Format: date-time */
                startsAt: string;
                /** Format: date-time */
                endsAt: string;
                userIds: string[];
            }[];
        };
        /** @description The person on call at a time, and why. */
        OncallExplanation: {
            /** Format: date-time */
            at: string;
            person: components["schemas"]["OncallPerson"] | null;
            /** @enum {string} */
            kind: "rotation" | "override" | "nobody";
            /** @description Counted from 0, also while somebody else has taken it over; null before the first. */
            turn: number | null;
            shift: {
                /** Format: date-time */
                startsAt: string;
                /** Format: date-time */
                endsAt: string;
            } | null;
            overrideId: string | null;
            /** @description By how much a clock change moved the handoff that began the turn, else the one that ends it; less than 0: so long before the second time of a day on which it comes twice. */
            shiftedByMinutes: number;
            /** @description The same in words. */
            text: string;
        };
        /** @description People who are on call in turn. */
        OncallGroup: {
            id: string;
            teamId: string;
            name: string;
            rotation: {
                /** @description In the order of their turns. */
                members: components["schemas"]["OncallPerson"][];
                /** @enum {string} */
                period: "daily" | "weekly";
                /** @description `HH:mm` on the wall clock of the zone. */
                handoffAt: string;
                /** @description An IANA name. */
                timezone: string;
                /**
                 * Format: date-time
                 * @description The first handoff.
                 */
                startsAt: string;
            };
            escalation: {
                afterMinutes: number;
                /** @enum {string} */
                target: "next" | "group";
            }[];
            /** @description Whether those whose shifts begin or end are notified. */
            handoffNotices: boolean;
            current: components["schemas"]["OncallShift"] | null;
            /** @description Ten at most, that begin within 60 days. */
            upcoming: components["schemas"]["OncallShift"][];
            /** @description Those that are not over. */
            overrides: components["schemas"]["OncallOverride"][];
            openPageCount: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        OncallOverride: {
            id: string;
            person: components["schemas"]["OncallPerson"];
            /** Format: date-time */
            startsAt: string;
            /** Format: date-time */
            endsAt: string;
        };
        /** @description A shift of the caller. */
        OncallOwnShift: {
            person: components["schemas"]["OncallPerson"];
            /** Format: date-time */
            startsAt: string;
            /**
             * Format: date-time
             * @description The shift is over at this moment.
             */
            endsAt: string;
            /** @description Whether it is an override of the regular turn. */
            override: boolean;
            overrideId?: string;
            groupId: string;
            groupName: string;
            teamId: string;
        };
        /** @description What calls people who are on call, one after the other, until one of them takes it over. */
        OncallPage: {
            id: string;
            groupId: string;
            /** @description As the group was called when it was paged. */
            groupName: string;
            teamId: string;
            title: string;
            body: string | null;
            /**
             * Format: uri
             * @description Where a tap leads.
             */
            url: string | null;
            app: components["schemas"]["AppSummary"] | null;
            /**
             * @description `triggered` and `acknowledged` are open.
             * @enum {string}
             */
            status: "triggered" | "acknowledged" | "resolved";
            dedupKey: string | null;
            /** @description How many more pages with its key it has absorbed. */
            repeatCount: number;
            /** @description In the order in which it went to them. */
            notified: components["schemas"]["OncallPerson"][];
            /** @description How many steps of the escalation have run. */
            escalationStep: number;
            /**
             * Format: date-time
             * @description Null when it goes no further.
             */
            nextEscalationAt: string | null;
            acknowledgedBy: components["schemas"]["OncallPerson"] | null;
            /** Format: date-time */
            acknowledgedAt: string | null;
            resolvedBy: components["schemas"]["OncallPerson"] | null;
            /** Format: date-time */
            resolvedAt: string | null;
            source: string;
            /** Format: date-time */
            createdAt: string;
        };
        OncallPageCreated: {
            page: components["schemas"]["OncallPage"];
            /** @description True when an open page with the same key has absorbed it. */
            deduplicated: boolean;
            /** @description Devices whose push provider has accepted it by the time of the answer. */
            accepted: number;
        };
        OncallPerson: {
            userId: string;
            name: string;
            /** Format: uri */
            image: string | null;
        };
        /** @description The people on call in a window of time. */
        OncallShift: {
            person: components["schemas"]["OncallPerson"];
            /** Format: date-time */
            startsAt: string;
            /**
             * Format: date-time
             * @description The shift is over at this moment.
             */
            endsAt: string;
            /** @description Whether it is an override of the regular turn. */
            override: boolean;
            overrideId?: string;
        };
        /** @description What a change of the schedule would do: to the shifts to come, and to the pages of the last 90 days. */
        OncallSimulation: {
            /** @description Those of the last 90 days, newest first; 500 at most. */
            pages: {
                pageId: string;
                /** @description Whose phones got it, and when. */
                before: {
                    userId: string;
                    /** Format: date-time */
                    at: string;
                }[];
                /** @description Whose would have got it, and when. */
                after: {
                    userId: string;
                    /** Format: date-time */
                    at: string;
                }[];
                /** @description How much later the first phone would have got it, less than 0: earlier; null when none did, or would have. */
                firstRungDeltaSeconds: number | null;
            }[];
            summary: {
                pageCount: number;
                /** @description Pages that would have gone to others, or at other times. */
                changedCount: number;
                /** @description Pages whose first phone would have got it earlier. */
                earlierCount: number;
                /** @description Pages whose first phone would have got it later. */
                laterCount: number;
                /** @description Pages that no phone would have got. */
                unrungCount: number;
                ringsBefore: number;
                ringsAfter: number;
                /** @description Whether there were more than 500 pages. */
                truncated: boolean;
            };
            schedule: {
                /** @description The shifts without the change. Those in the window of the override; without one the current and the next ten within 60 days. */
                before: components["schemas"]["OncallShift"][];
                /** @description The shifts with it. Those in the window of the override; without one the current and the next ten within 60 days. */
                after: components["schemas"]["OncallShift"][];
                warnings: components["schemas"]["OncallWarnings"];
            };
        };
        /** @description What the schedule leaves open in the 366 days after a change. */
        OncallWarnings: {
            /** @description When nobody is on call. */
            gaps: {
                /** Format: date-time */
                startsAt: string;
                /** Format: date-time */
                endsAt: string;
            }[];
            /** @description When several people are on call at once. */
            overlaps: {
                /** Format: date-time */
                startsAt: string;
                /** Format: date-time */
                endsAt: string;
                userIds: string[];
            }[];
        };
        OperatedAccount: {
            id: string;
            name: string;
            email: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description The last use of one of its sessions; null where none is kept.
             */
            lastSeenAt: string | null;
            suspended: boolean;
            /** @description Those that are active. */
            devices: number;
            /** @description What its agents and services have put into its inbox since midnight UTC; 10,000 at most. */
            sentToday: number;
        };
        OperatedTeam: {
            id: string;
            /** @enum {string} */
            kind: "family" | "team";
            name: string;
            memberCount: number;
            /** Format: date-time */
            createdAt: string;
        };
        Passkey: {
            id: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** @description Whether its authenticator keeps a copy elsewhere. */
            backedUp: boolean;
            /** @description Its counter did not go up: two authenticators have its key, and none is let in. */
            disabled: boolean;
        };
        /** @description The end of a prompt on its way to one reply webhook. */
        PromptDelivery: {
            id: string;
            /** @enum {string} */
            type: "interaction.answered" | "interaction.expired" | "interaction.canceled";
            /** @enum {string} */
            status: "pending" | "retrying" | "delivered" | "failed" | "canceled";
            attempts: number;
            /** @description Of the last attempt; null when there was no answer. */
            responseCode: number | null;
            /** @description Of the last attempt. */
            latencyMs: number | null;
            /** @description Why the last attempt failed. */
            error: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            deliveredAt: string | null;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** @description The newest ten at most, in the order in which they were made. */
            attemptLog: {
                /** @description 1 for the first. */
                attempt: number;
                /** Format: date-time */
                attemptedAt: string;
                /** @enum {string} */
                status: "delivered" | "retrying" | "failed";
                latencyMs: number;
                responseCode: number | null;
                error: string | null;
            }[];
            /** @description There when it was only a test, which cannot be sent again. */
            test?: boolean;
            webhookId: string;
            /** @description As it is now; null once the reply webhook is deleted. */
            webhookName: string | null;
        };
        /** @description What the provider of one device has said about a push. */
        PushReceipt: {
            id: string;
            deviceId: string;
            /**
             * @description `accepted` is the word of the provider, never of the phone.
             * @enum {string}
             */
            status: "pending" | "accepted" | "error" | "unknown";
            errorCode: string | null;
            /** Format: date-time */
            checkedAt: string | null;
        };
        PushSubscriptionKeys: {
            p256dh: string;
            auth: string;
        };
        ReadMark: {
            /** @constant */
            ok: true;
            /** Format: date-time */
            readAt: string | null;
            /** @description True when nothing had to change. */
            idempotent?: boolean;
        };
        ReadThrough: {
            /** @description As a list of the inbox gave it. */
            readThroughToken: string;
        };
        Recover: {
            /** Format: email */
            email: string;
            recoveryCode: string;
            password?: string;
            /** @enum {string} */
            client?: "app" | "browser";
        };
        RecoverReplies: {
            /**
             * Format: date-time
             * @description What was queued before stays as it is. At most 20 years from now.
             */
            since: string;
        };
        RefreshSession: {
            refreshToken: string;
        };
        RegisterActivityToken: {
            token: string;
            /** @enum {string} */
            environment: "sandbox" | "production";
        };
        RegisterConnector: {
            name: string;
            /** @description What the provider of the tunnel calls it. */
            tunnelId: string;
            /** @description A name, without scheme, port or wildcard. */
            hostname: string;
            routes?: components["schemas"]["NewConnectorRoute"][];
            /** @description True unless said. */
            enabled?: boolean;
            /** @description The team that it is to belong to; its admins only. It stays what it is. An id that begins with `team_`. */
            teamId?: string | null;
            /** @description The on-call group to page when it goes offline. An id that begins with `ocg_`. */
            oncallGroupId?: string | null;
        };
        RegisterDevice: {
            installId: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            deviceName?: string;
            pushToken?: string;
            /** @enum {string} */
            pushEnvironment?: "sandbox" | "production";
            appBuild?: string;
            liveActivitiesCapable?: boolean;
            interactiveLiveActivitiesCapable?: boolean;
            pushToStartToken?: string;
            subscription?: components["schemas"]["WebPushSubscription"];
        };
        RegistrationResponse: {
            response: components["schemas"]["AttestationResponse"];
            id: string;
            rawId: string;
            /** @enum {string} */
            type: "public-key";
            /**
             * @description Ignored.
             * @enum {string|null}
             */
            authenticatorAttachment?: "platform" | "cross-platform" | null;
            /** @description Ignored. */
            clientExtensionResults?: components["schemas"]["ExtensionResults"];
        };
        /** @description An address that hears how prompts end. */
        ReplyWebhook: {
            /** @description The account's default: it hears of every prompt, also of those without a service. */
            isDefault: boolean;
            id: string;
            name: string;
            /**
             * Format: uri
             * @description Where signed events go.
             */
            url: string;
            /**
             * @description The form of the body.
             * @enum {string}
             */
            preset: "generic" | "grok" | "slack";
            headers: {
                name: string;
                /** @description Always `********`. */
                value: string;
            }[];
            events: ("interaction.answered" | "interaction.expired" | "interaction.canceled")[];
            enabled: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ReplyWebhookCreated: {
            webhook: components["schemas"]["ReplyWebhook"];
            /** @description What its events are signed with: `whsec_` and base64. Shown at no other time. */
            signingSecret: string;
        };
        /** @description One event on its way to one reply webhook. */
        ReplyWebhookDelivery: {
            id: string;
            /** @enum {string} */
            type: "interaction.answered" | "interaction.expired" | "interaction.canceled";
            /** @enum {string} */
            status: "pending" | "retrying" | "delivered" | "failed" | "canceled";
            attempts: number;
            /** @description Of the last attempt; null when there was no answer. */
            responseCode: number | null;
            /** @description Of the last attempt. */
            latencyMs: number | null;
            /** @description Why the last attempt failed. */
            error: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            deliveredAt: string | null;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** @description The newest ten at most, in the order in which they were made. */
            attemptLog: {
                /** @description 1 for the first. */
                attempt: number;
                /** Format: date-time */
                attemptedAt: string;
                /** @enum {string} */
                status: "delivered" | "retrying" | "failed";
                latencyMs: number;
                responseCode: number | null;
                error: string | null;
            }[];
            /** @description There when it was only a test, which cannot be sent again. */
            test?: boolean;
        };
        ReportReceipts: {
            receipts: components["schemas"]["DeviceReceipt"][];
        };
        ResolvePage: {
            /** @description For the audit log. */
            note?: string;
        };
        RevalidateAccess: {
            /** @description Each is answered for itself. */
            sessions: components["schemas"]["SessionOfRoute"][];
        };
        RotateConnectorSecret: {
            /** @description Ends the former secret at once; else it is good for another 24 hours. */
            revokeOld?: boolean;
        };
        RotateWebhookSecret: {
            /** @description A secret that the receiver has issued; without it one is made. */
            signingSecret?: string;
            /** @description Ends former secrets at once; else deliveries carry their signatures too for 24 hours. */
            revokeOld?: boolean;
        };
        /** @enum {string} */
        Scope: "notifications:send" | "interactions:create" | "interactions:read" | "activities:read" | "activities:write" | "services:read" | "services:write" | "devices:read" | "events:read" | "apps:read" | "apps:write" | "devices:write" | "inbox:read" | "inbox:write" | "billing:read" | "tokens:manage" | "teams:read" | "teams:write" | "oncall:read" | "oncall:write" | "connectors:read" | "connectors:write";
        ServiceCreated: {
            service: {
                id: string;
                title: string;
                /** Format: uri */
                imageUrl: string | null;
                /**
                 * Format: uri
                 * @description Where a tap on its notifications leads when they do not say.
                 */
                url: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                /** @description The family that sees it. */
                familyId: string | null;
                defaultReplyWebhookId: string | null;
                /** @description The form in which its sender writes. */
                preset: string;
                /** @description The on-call group that is paged when something fires. */
                oncallGroupId: string | null;
                /**
                 * @description The lowest severity that pages the group; an unknown one always does.
                 * @enum {string}
                 */
                oncallFrom: "info" | "warning" | "error" | "critical";
                /** @description True when the group could not be paged any more: it is gone, or its creator left the team. */
                oncallGroupGone: boolean;
                /** @description How often its sender calls at least; null when that is not watched. */
                expectEverySeconds: number | null;
                /** @description How much later than that a call may come. */
                graceSeconds: number;
                /** @description Whether requests must be signed by their sender. */
                hasSenderSecret: boolean;
                /**
                 * @description Whether a group of alerts is one event, or each of its alerts.
                 * @enum {string}
                 */
                eventsPer: "group" | "alert";
                /**
                 * Format: uri
                 * @description Its URL, which is shown at no other time.
                 */
                webhookUrl: string;
            };
            /**
             * Format: uri
             * @description Its URL, which is shown at no other time.
             */
            webhookUrl: string;
        };
        /** @description What came in through the URL of a service, and what was made of it. */
        ServicePayload: {
            /** Format: date-time */
            receivedAt: string;
            contentType: string | null;
            /** @description The length of its body. */
            bytes: number;
            /** @description Its body as text, 16,000 characters of it; empty for one that was too large to be read. */
            body: string;
            /** @description What was made of it. */
            outcome: string;
            /** @description The events that it has made or repeated, 25 at most. */
            events: {
                id: string;
                /** @description Null for the title of the service. */
                title: string | null;
                /** @enum {string} */
                state: "firing" | "resolved" | "none";
                /** @description What the state is about. */
                dedupKey: string | null;
                severity: string | null;
            }[];
            /** @description The code that its sender got. */
            error: string | null;
            /** @description What did not fit, or became no event. */
            issues: {
                path: string;
                message: string;
            }[];
        };
        Session: {
            id: string;
            /** @enum {string} */
            kind: "cookie" | "app";
            /** @description Whether it is the one that asks. */
            current: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        /** @description A question as a signed-in person sees it, and who has answered it. */
        SessionInteraction: {
            id: string;
            title: string;
            prompt: string;
            /** @enum {string} */
            kind: "approval" | "yes_no" | "reply";
            /** @enum {string} */
            presentation: "notification" | "live_activity";
            /**
             * @description All but `pending` are final.
             * @enum {string}
             */
            status: "pending" | "approved" | "denied" | "yes" | "no" | "replied" | "canceled" | "expired";
            /** @description What a person can choose; to a reply any other text may be given too. */
            choices: string[];
            /** @description `approved`, `denied`, `yes`, `no`, or the text of the person. */
            response: string | null;
            /** Format: uri */
            imageUrl: string | null;
            /** Format: uri */
            url: string | null;
            /** @description `sha256:` and 64 hex digits: fixes what the person saw. */
            actionDigest: string;
            primaryLabel: string | null;
            secondaryLabel: string | null;
            /** @description Devices whose push provider has accepted it. */
            accepted: number;
            respondingDeviceId: string | null;
            respondingUserId: string | null;
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            respondedAt: string | null;
            /** Format: date-time */
            canceledAt: string | null;
            /** @description The sender: the service, else the token. */
            sourceName: string;
            /** Format: uri */
            sourceImageUrl: string | null;
            projectId?: string | null;
            /** @description As it is now; null also when that account is deleted or suspended. */
            respondingUserName: string | null;
            /** @description As it is now; null also when that device is removed or has no name. */
            respondingDeviceName: string | null;
        };
        SessionOfRoute: {
            /** @description What a pass was turned into. */
            session: string;
            /** @description The name of the route that it is for. */
            route: string;
        };
        SetDomain: {
            /** @description A registrable domain or one below it, such as `acme.com`; international names too. */
            domain: string;
        };
        SetQuietHours: {
            /** @description A device of the account; without it, all devices that have no quiet hours of their own. An id that begins with `dev_`. */
            deviceId?: string;
            /** @description Null: none. */
            quietHours: components["schemas"]["GivenQuietHours"] | null;
        };
        ShareApp: {
            /** @description The team or family that gets it; null for the own apps of the account. An id that begins with `team_`. */
            teamId: string | null;
            /** @description Whether the others in the team are told; true unless said. */
            notify?: boolean;
        };
        ShareService: {
            /** @description An id that begins with `team_`. */
            familyId: string | null;
        };
        SignIn: {
            /** Format: email */
            email: string;
            password: string;
            totp?: string;
            recoveryCode?: string;
            /** @enum {string} */
            client?: "app" | "browser";
        };
        SignInMail: {
            /** Format: email */
            email: string;
        };
        SignInWithPasskey: {
            response: components["schemas"]["AuthenticationResponse"];
            /** @enum {string} */
            client?: "app" | "browser";
        };
        SignUp: {
            /** Format: email */
            email: string;
            name: string;
            password: string;
            inviteCode?: string;
            /** @enum {string} */
            client?: "app" | "browser";
        };
        SimulateOncall: {
            rotation?: components["schemas"]["ChangedRotation"];
            escalation?: components["schemas"]["EscalationStep"][];
            /** @description An override that is added, by the rules of one that is made. */
            override?: components["schemas"]["SimulatedOverride"];
        };
        SimulatedOverride: {
            /** @description An id that begins with `usr_`. */
            userId: string;
            /**
             * Format: date-time
             * @description From 1900 to 2199.
             */
            startsAt: string;
            /**
             * Format: date-time
             * @description From 1900 to 2199.
             */
            endsAt: string;
        };
        /** @description A family, or a workplace team. */
        Team: {
            id: string;
            /** @enum {string} */
            kind?: "family" | "team";
            name: string;
            /**
             * @description The role of the account that asks.
             * @enum {string}
             */
            role: "member" | "admin" | "owner";
            memberCount: number;
            appCount: number;
            oncallGroupCount: number;
            deviceGroupCount: number;
            verifiedDomain: string | null;
            pendingDomain: string | null;
            domainVerification: {
                /** @description Where the TXT record that proves the pending domain belongs. */
                host: string;
                value: string;
            } | null;
            /** @description Whether people with a verified address in the verified domain join when they sign in. */
            autoJoinVerifiedDomain: boolean;
            /** @description How long audit entries, events and closed pages are kept; null: for ever. */
            retentionDays: number | null;
            seats: {
                used: number;
                available: number | null;
                billable: number;
            };
            /** @enum {string} */
            plan: "free" | "team";
            /** Format: date-time */
            createdAt: string;
        };
        /** @description A phone of somebody in the team. */
        TeamDevice: {
            id: string;
            /**
             * @description `web` is a browser; the Agent API lists it only with `platform=web`.
             * @enum {string}
             */
            platform: "ios" | "android" | "web";
            deviceName: string | null;
            /** @description Whether it gets pushes: false once its provider has said that the app is gone. */
            active: boolean;
            liveActivitiesCapable: boolean;
            /** @enum {string|null} */
            liveActivityTokenEnvironment: "sandbox" | "production" | null;
            /** Format: date-time */
            liveActivityTokenUpdatedAt: string | null;
            interactiveLiveActivitiesCapable: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            userId: string;
            userName: string;
        };
        /** @description An invitation into a team. */
        TeamInvite: {
            id: string;
            teamId: string;
            invitedBy: string;
            /** @description The address that it is for; null when it is for more than one person. */
            email: string | null;
            /** @description Whose addresses it is for. */
            domain: string | null;
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was used up; one that is for more than one person never is.
             */
            acceptedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
        };
        /** @description An invite, and how to accept it. */
        TeamInviteCreated: {
            invite: components["schemas"]["TeamInvite"];
            /** @description Shown this once. */
            code: string;
            /** @description A page that says how a person accepts it. */
            url: string;
        };
        /** @description A person in a team. */
        TeamMember: {
            userId: string;
            name: string;
            email: string;
            /** Format: uri */
            image: string | null;
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** Format: date-time */
            joinedAt: string;
        };
        TeamSummary: {
            id: string;
            name: string;
        };
        TestWebhook: {
            /**
             * @description Which event the sample tells of; `interaction.answered` unless said.
             * @enum {string}
             */
            event?: "interaction.answered" | "interaction.expired" | "interaction.canceled";
        };
        TotpCode: {
            code: string;
        };
        TriggerPage: {
            title: string;
            /** @description May hold line breaks. */
            body?: string | null;
            /**
             * Format: uri
             * @description Where a tap leads. An absolute http or https address, or one of an app.
             */
            url?: string | null;
            /** @description The web app that a tap opens. An id that begins with `app_`. */
            appId?: string;
            /** @description While a page of the group with this key is open, it absorbs all others. `Idempotency-Key` unless said. */
            dedupKey?: string;
        };
        WebPushSubscription: {
            /**
             * Format: uri
             * @description An absolute https address.
             */
            endpoint: string;
            keys: components["schemas"]["PushSubscriptionKeys"];
            /** @description Ignored. */
            expirationTime?: number | null;
        };
    };
    responses: never;
    parameters: {
        /** @description Names this request: sent again within 24 hours with the same key, it is done once and answered alike. Bare or as a quoted string. */
        IdempotencyKey: string;
        /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
        RequestId: string;
        /** @description The version that the caller speaks. Only 1 is spoken here. */
        ApiVersion: string;
        /** @description As an earlier answer gave it: this one will not be older than that. */
        Position: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    bootstrap: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Bootstrap"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                        accessToken?: string;
                        /** @description Valid once; see `POST /refresh`. */
                        refreshToken?: string;
                        /**
                         * Format: date-time
                         * @description The end of `accessToken`.
                         */
                        expiresAt?: string;
                    };
                };
            };
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUp"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                        accessToken?: string;
                        /** @description Valid once; see `POST /refresh`. */
                        refreshToken?: string;
                        /**
                         * Format: date-time
                         * @description The end of `accessToken`.
                         */
                        expiresAt?: string;
                    };
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                        accessToken?: string;
                        /** @description Valid once; see `POST /refresh`. */
                        refreshToken?: string;
                        /**
                         * Format: date-time
                         * @description The end of `accessToken`.
                         */
                        expiresAt?: string;
                    };
                };
            };
        };
    };
    signInWithRecoveryCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Recover"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                        accessToken?: string;
                        /** @description Valid once; see `POST /refresh`. */
                        refreshToken?: string;
                        /**
                         * Format: date-time
                         * @description The end of `accessToken`.
                         */
                        expiresAt?: string;
                    };
                };
            };
        };
    };
    prepareSignInWithPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A challenge, good for 5 minutes and once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Good for 5 minutes and once. */
                        challenge: string;
                        rpId: string;
                        /** @description Milliseconds. */
                        timeout: number;
                        /** @constant */
                        userVerification: "required";
                    };
                };
            };
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInWithPasskey"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                        accessToken?: string;
                        /** @description Valid once; see `POST /refresh`. */
                        refreshToken?: string;
                        /**
                         * Format: date-time
                         * @description The end of `accessToken`.
                         */
                        expiresAt?: string;
                    };
                };
            };
        };
    };
    describeSignInLinks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether mail is configured. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the installation sends mails. */
                        mail: boolean;
                    };
                };
            };
        };
    };
    requestSignInLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInMail"];
            };
        };
        responses: {
            /** @description Accepted; if an account has the address, it gets a mail. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    signInWithLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmSignInLink"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                        accessToken?: string;
                        /** @description Valid once; see `POST /refresh`. */
                        refreshToken?: string;
                        /**
                         * Format: date-time
                         * @description The end of `accessToken`.
                         */
                        expiresAt?: string;
                    };
                };
            };
        };
    };
    listSignInProviders: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        providers: {
                            id: string;
                            name: string;
                        }[];
                    };
                };
            };
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshSession"];
            };
        };
        responses: {
            /** @description The new pair. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accessToken: string;
                        /** @description Valid once; see `POST /refresh`. */
                        refreshToken: string;
                        /**
                         * Format: date-time
                         * @description The end of `accessToken`.
                         */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                    };
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ses_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                        /** @description Whether the installation sends mails. */
                        mail: boolean;
                        /** @description Whether the account has an authenticator app. */
                        totp?: boolean;
                    };
                };
            };
        };
    };
    changeAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeProfile"];
            };
        };
        responses: {
            /** @description The account as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: components["schemas"]["Account"];
                    };
                };
            };
        };
    };
    requestVerificationLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    verifyAddress: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkToken"];
            };
        };
        responses: {
            /** @description Verified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    removePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    prepareNewPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A challenge, good for 5 minutes and once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Good for 5 minutes and once. */
                        challenge: string;
                        rp: {
                            id: string;
                            name: string;
                        };
                        user: {
                            id: string;
                            name: string;
                            displayName: string;
                        };
                        pubKeyCredParams: {
                            /** @constant */
                            type: "public-key";
                            alg: number;
                        }[];
                        /** @description Milliseconds. */
                        timeout: number;
                        excludeCredentials: {
                            id: string;
                            /** @constant */
                            type: "public-key";
                        }[];
                        authenticatorSelection: {
                            /** @constant */
                            residentKey: "required";
                            /** @constant */
                            requireResidentKey: true;
                            /** @constant */
                            userVerification: "required";
                        };
                        /** @constant */
                        attestation: "none";
                    };
                };
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        passkeys: components["schemas"]["Passkey"][];
                    };
                };
            };
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddPasskey"];
            };
        };
        responses: {
            /** @description The passkey, and ten recovery codes where the account had none. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        passkey: components["schemas"]["Passkey"];
                        /** @description Where the account had none. */
                        recoveryCodes?: string[];
                    };
                };
            };
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `pky_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        identities: components["schemas"]["LinkedIdentity"][];
                    };
                };
            };
        };
    };
    linkIdentity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where the browser goes next. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description Where the browser goes next.
                         */
                        redirectTo: string;
                    };
                };
            };
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    prepareTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Base32. Shown this once. */
                        secret: string;
                        /** @description `otpauth://totp/…`, for a QR code. */
                        uri: string;
                    };
                };
            };
        };
    };
    removeTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCode"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCode"];
            };
        };
        responses: {
            /** @description Ten recovery codes, shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recoveryCodes: string[];
                    };
                };
            };
        };
    };
    replaceRecoveryCodes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ten recovery codes, shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recoveryCodes: string[];
                    };
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                kind?: "token" | "oauth";
                status?: "active" | "revoked" | "expired" | "all";
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tokens: components["schemas"]["ApiToken"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateToken"];
            };
        };
        responses: {
            /** @description The token and its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: components["schemas"]["ApiToken"];
                        /** @description Shown this once. */
                        secret: string;
                    };
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `tok_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    showInteraction: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client, and what it asks for. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentDetails"];
                };
            };
        };
    };
    decideInteraction: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecideInteraction"];
            };
        };
        responses: {
            /** @description Where the browser goes next. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description Where the browser goes next.
                         */
                        redirectTo: string;
                    };
                };
            };
        };
    };
    showCommandLine: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                userCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The command line, and what it asks for. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandLineDetails"];
                };
            };
        };
    };
    decideCommandLine: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                userCode: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecideCommandLine"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    listGrants: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grants. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        grants: components["schemas"]["OAuthGrant"][];
                    };
                };
            };
        };
    };
    endGrant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `tok_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    getPushKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The public VAPID key, base64url of 65 bytes. */
                        key: string | null;
                        /**
                         * @description Why Web Push is off; only where `key` is null.
                         * @enum {string}
                         */
                        reason?: "subject_missing" | "subject_local";
                    };
                };
            };
        };
    };
    listDevices: {
        parameters: {
            query?: {
                active?: boolean;
                platform?: "ios" | "android" | "web";
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of devices. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        devices: components["schemas"]["Device"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    registerDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterDevice"];
            };
        };
        responses: {
            /** @description The device was known and is updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        device: components["schemas"]["Device"];
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        device: components["schemas"]["Device"];
                    };
                };
            };
        };
    };
    changeDeviceTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `dev_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeDeviceTokens"];
            };
        };
        responses: {
            /** @description The device as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        device: components["schemas"]["Device"];
                    };
                };
            };
        };
    };
    registerActivityToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `dev_`. */
                deviceId: string;
                /** @description An id that begins with `act_`. */
                activityId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterActivityToken"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    reportReceipts: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `dev_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportReceipts"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    testDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `dev_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notification, which is in the inbox too. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentNotificationCreated"];
                };
            };
        };
    };
    getQuietHours: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Those of the account and of single devices. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        quietHours: {
                            /** @description `HH:mm` on the wall clock of the zone. */
                            from: string;
                            to: string;
                            timezone: string;
                        } | null;
                        /** @description Those with quiet hours of their own. */
                        devices: {
                            deviceId: string;
                            /** @description `HH:mm` on the wall clock of the zone. */
                            from: string;
                            to: string;
                            timezone: string;
                        }[];
                    };
                };
            };
        };
    };
    setQuietHours: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetQuietHours"];
            };
        };
        responses: {
            /** @description All quiet hours as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        quietHours: {
                            /** @description `HH:mm` on the wall clock of the zone. */
                            from: string;
                            to: string;
                            timezone: string;
                        } | null;
                        /** @description Those with quiet hours of their own. */
                        devices: {
                            deviceId: string;
                            /** @description `HH:mm` on the wall clock of the zone. */
                            from: string;
                            to: string;
                            timezone: string;
                        }[];
                    };
                };
            };
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `whk_`. */
                id: string;
                /** @description An id that begins with `whd_`. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is about to be sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["ReplyWebhookDelivery"];
                    };
                };
            };
        };
    };
    recoverDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `whk_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverReplies"];
            };
        };
        responses: {
            /** @description How many are about to be sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many deliveries are attempted again. */
                        recovered: number;
                        /** @description There are more: ask again. */
                        more: boolean;
                    };
                };
            };
        };
    };
    listPrompts: {
        parameters: {
            query?: {
                /** @description Only those that can still be answered, or only those that cannot. */
                pending?: boolean;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
                kind?: "approval" | "yes_no" | "reply";
                projectId?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of prompts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        interactions: components["schemas"]["SessionInteraction"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getPrompt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `int_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prompt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        interaction: components["schemas"]["SessionInteraction"];
                    };
                };
            };
        };
    };
    listPromptDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `int_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One for each reply webhook that is told how the prompt ended. */
                        deliveries: components["schemas"]["PromptDelivery"][];
                    };
                };
            };
        };
    };
    answerPrompt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `int_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerInteraction"];
            };
        };
        responses: {
            /** @description The prompt, answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        interaction: components["schemas"]["EndedInteraction"];
                    };
                };
            };
        };
    };
    cancelPrompt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `int_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prompt, canceled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        interaction: components["schemas"]["EndedInteraction"];
                    };
                };
            };
        };
    };
    listOncallShifts: {
        parameters: {
            query: {
                /** @description At most 20 years from now. */
                from: string;
                /** @description At most 62 days after `from`. At most 20 years from now. */
                to: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shifts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Those in the window, cut to it, in their order. */
                        shifts: components["schemas"]["OncallShift"][];
                    };
                };
            };
        };
    };
    acknowledgePage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `page_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPage"];
                };
            };
        };
    };
    escalatePage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `page_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EscalatePage"];
            };
        };
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPage"];
                };
            };
        };
    };
    giveConsent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GiveConsent"];
            };
        };
        responses: {
            /** @description The app. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
        };
    };
    changeDisclosure: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeDisclosure"];
            };
        };
        responses: {
            /** @description The app. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
        };
    };
    issuePass: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuePass"];
            };
        };
        responses: {
            /** @description The pass, and the address to open. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Good for one use. Shown at no other time. */
                        pass: string;
                        /**
                         * Format: uri
                         * @description Where to open the app: the address of the route with the pass in it.
                         */
                        url: string;
                        /**
                         * Format: date-time
                         * @description A minute from now.
                         */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    previewInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invite. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invite: components["schemas"]["InvitePreview"];
                    };
                };
            };
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team that the account is in now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
        };
    };
    listInstallationAccounts: {
        parameters: {
            query?: {
                /** @description A part of the name or of the address. */
                query?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: components["schemas"]["OperatedAccount"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    suspendAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `usr_`. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    resumeAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `usr_`. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    listInstallationTeams: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of teams. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        teams: components["schemas"]["OperatedTeam"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    removeDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `dev_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    listServices: {
        parameters: {
            query?: {
                /** @description An id that begins with `team_`. */
                familyId?: string;
                shared?: boolean;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of services. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        services: components["schemas"]["AgentService"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateService"];
            };
        };
        responses: {
            /** @description The service and its URL. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceCreated"];
                };
            };
        };
    };
    getService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `svc_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        service: components["schemas"]["AgentService"];
                    };
                };
            };
        };
    };
    deleteService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `svc_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `svc_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeService"];
            };
        };
        responses: {
            /** @description The service as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        service: components["schemas"]["AgentService"];
                    };
                };
            };
        };
    };
    listServicePayloads: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `svc_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payloads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        payloads: components["schemas"]["ServicePayload"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    shareService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `svc_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShareService"];
            };
        };
        responses: {
            /** @description The service as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        service: components["schemas"]["AgentService"];
                    };
                };
            };
        };
    };
    rotateService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `svc_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service and its new URL. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceCreated"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                enabled?: boolean;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reply webhooks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["ReplyWebhook"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description The reply webhook and its signing secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplyWebhookCreated"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: {
                /** @description How many deliveries a page has at most; 20 unless said. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
                status?: "pending" | "retrying" | "delivered" | "failed" | "canceled";
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `whk_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reply webhook and a page of its deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["ReplyWebhook"];
                        deliveries: components["schemas"]["ReplyWebhookDelivery"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `whk_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `whk_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhook"];
            };
        };
        responses: {
            /** @description The reply webhook as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["ReplyWebhook"];
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `whk_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestWebhook"];
            };
        };
        responses: {
            /** @description What came of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["ReplyWebhookDelivery"];
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `whk_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            /** @description The reply webhook and its new signing secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplyWebhookCreated"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description An id that begins with `svc_`. */
                serviceId?: string;
                status?: "accepted" | "delivered" | "partial" | "failed" | "no_devices" | "limited";
                /** @description Not before this. At most 20 years from now. */
                from?: string;
                /** @description Before this. At most 20 years from now. */
                to?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: components["schemas"]["Event"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    readActivityFeed: {
        parameters: {
            query?: {
                page?: number;
                kind?: "notification" | "live_activity" | "response";
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the feed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityFeedPage"];
                };
            };
        };
    };
    listActivities: {
        parameters: {
            query?: {
                /** @description Those with one of these; may be there several times. */
                status?: ("starting" | "active" | "partial" | "failed" | "ended" | "expired")[];
                key?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of activities. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activities: components["schemas"]["LiveActivity"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: {
                kind?: "family" | "team";
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of teams. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        teams: components["schemas"]["Team"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTeam"];
            };
        };
        responses: {
            /** @description The family or team was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team and its members. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        team: components["schemas"]["Team"];
                        members: components["schemas"]["TeamMember"][];
                    };
                };
            };
        };
    };
    deleteTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTeam"];
            };
        };
        responses: {
            /** @description The team. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
        };
    };
    setTeamDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetDomain"];
            };
        };
        responses: {
            /** @description The team, with the domain and its challenge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
        };
    };
    clearTeamDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    verifyTeamDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team, whose domain it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
        };
    };
    listOncallGroups: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of on-call groups. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        groups: components["schemas"]["OncallGroup"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createOncallGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names this request: sent again within 24 hours with the same key, it is done once and answered alike. Bare or as a quoted string. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOncallGroup"];
            };
        };
        responses: {
            /** @description Done before with this `Idempotency-Key`: the same answer again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedOncallGroup"];
                };
            };
            /** @description The group was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedOncallGroup"];
                };
            };
        };
    };
    getOwnOncall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shifts that run and come, and the open pages that have notified the person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In each group the shift that runs and the next one within 60 days, by their start; 20 at most. */
                        shifts: components["schemas"]["OncallOwnShift"][];
                        /** @description Open ones that have notified the person, newest first; 100 at most. */
                        pages: components["schemas"]["OncallPage"][];
                    };
                };
            };
        };
    };
    getOncallGroup: {
        parameters: {
            query?: {
                /** @description The people on call at this time, as known then; now when it is absent. At most 20 years from now. */
                at?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallGroup"];
                };
            };
        };
    };
    deleteOncallGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeOncallGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeOncallGroup"];
            };
        };
        responses: {
            /** @description The group, and what its schedule leaves open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedOncallGroup"];
                };
            };
        };
    };
    explainOncall: {
        parameters: {
            query?: {
                /** @description The people on call at this time, as known then; now when it is absent. At most 20 years from now. */
                at?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person, and why. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallExplanation"];
                };
            };
        };
    };
    getOncallCoverage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gaps and overlaps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallCoverage"];
                };
            };
        };
    };
    openOwnCalendar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarUrl"];
                };
            };
        };
    };
    closeOwnCalendar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    openOncallCalendar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarUrl"];
                };
            };
        };
    };
    closeOncallCalendar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    simulateOncall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SimulateOncall"];
            };
        };
        responses: {
            /** @description The shifts without and with the change, what it leaves open, and the people that each page has notified and would have notified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallSimulation"];
                };
            };
        };
    };
    createOverride: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names this request: sent again within 24 hours with the same key, it is done once and answered alike. Bare or as a quoted string. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOverride"];
            };
        };
        responses: {
            /** @description Done before with this `Idempotency-Key`: the same answer again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        override: components["schemas"]["OncallOverride"];
                        group: components["schemas"]["OncallGroup"];
                        warnings: components["schemas"]["OncallWarnings"];
                    };
                };
            };
            /** @description The override, the group with it, and what the schedule leaves open. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        override: components["schemas"]["OncallOverride"];
                        group: components["schemas"]["OncallGroup"];
                        warnings: components["schemas"]["OncallWarnings"];
                    };
                };
            };
        };
    };
    deleteOverride: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
                /** @description An id that begins with `ovr_`. */
                overrideId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The override is deleted, and what the schedule leaves open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        warnings: components["schemas"]["OncallWarnings"];
                    };
                };
            };
        };
    };
    listTeamApps: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of web apps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        apps: components["schemas"]["App"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listDeviceGroups: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of device groups. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        groups: components["schemas"]["DeviceGroup"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createDeviceGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names this request: sent again within 24 hours with the same key, it is done once and answered alike. Bare or as a quoted string. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDeviceGroup"];
            };
        };
        responses: {
            /** @description Done before with this `Idempotency-Key`: the same answer again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group: components["schemas"]["DeviceGroup"];
                    };
                };
            };
            /** @description The group. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group: components["schemas"]["DeviceGroup"];
                    };
                };
            };
        };
    };
    listPages: {
        parameters: {
            query?: {
                status?: ("triggered" | "acknowledged" | "resolved")[];
                /** @description An id that begins with `ocg_`. */
                groupId?: string;
                /** @description Not made before this. At most 20 years from now. */
                from?: string;
                /** @description Made before this. At most 20 years from now. */
                to?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pages: components["schemas"]["OncallPage"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    triggerPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names this request: sent again within 24 hours with the same key, it is done once and answered alike. Bare or as a quoted string. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `ocg_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerPage"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPageCreated"];
                };
            };
            /** @description The page, with the devices that have accepted it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPageCreated"];
                };
            };
        };
    };
    getPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `page_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPage"];
                };
            };
        };
    };
    resolvePage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `page_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResolvePage"];
            };
        };
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPage"];
                };
            };
        };
    };
    getDeviceGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
                /** @description An id that begins with `dgr_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group: components["schemas"]["DeviceGroup"];
                    };
                };
            };
        };
    };
    deleteDeviceGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
                /** @description An id that begins with `dgr_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeDeviceGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
                /** @description An id that begins with `dgr_`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeDeviceGroup"];
            };
        };
        responses: {
            /** @description The group as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group: components["schemas"]["DeviceGroup"];
                    };
                };
            };
        };
    };
    listTeamDevices: {
        parameters: {
            query?: {
                /** @description Only the devices of this member. An id that begins with `usr_`. */
                userId?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of devices. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        devices: components["schemas"]["TeamDevice"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    leaveTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
                /** @description An id that begins with `usr_`. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeMemberRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
                /** @description An id that begins with `usr_`. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRole"];
            };
        };
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        member: components["schemas"]["TeamMember"];
                    };
                };
            };
        };
    };
    listInvites: {
        parameters: {
            query?: {
                /** @description `open` unless said. */
                state?: "open" | "accepted" | "revoked" | "expired" | "all";
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invites. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invites: components["schemas"]["TeamInvite"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateInvite"];
            };
        };
        responses: {
            /** @description The invite, its code and its link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamInviteCreated"];
                };
            };
        };
    };
    revokeInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
                /** @description An id that begins with `inv_`. */
                inviteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    listApps: {
        parameters: {
            query?: {
                /** @description Those of this team only; `none` for those of no team. An id that begins with `team_`. */
                teamId?: string;
                projectId?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of web apps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        apps: components["schemas"]["App"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    addApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddApp"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
            /** @description The app was added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
        };
    };
    getApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The app. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
        };
    };
    removeApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeApp"];
            };
        };
        responses: {
            /** @description The app as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
        };
    };
    revokeAppConsent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The app, without consent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
        };
    };
    shareApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `app_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShareApp"];
            };
        };
        responses: {
            /** @description The app where it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
        };
    };
    listConnectors: {
        parameters: {
            query?: {
                /** @description Of this team only. An id that begins with `team_`. */
                teamId?: string;
                status?: "online" | "offline" | "unknown";
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of connectors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connectors: components["schemas"]["Connector"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    registerConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterConnector"];
            };
        };
        responses: {
            /** @description The connector, and the secret that its callbacks are signed with. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connector: components["schemas"]["Connector"];
                        /** @description What its callbacks are signed with: `whsec_` and base64. Shown at no other time. */
                        callbackSecret: string;
                    };
                };
            };
        };
    };
    getConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `con_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connector. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connector: components["schemas"]["Connector"];
                    };
                };
            };
        };
    };
    removeConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `con_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    changeConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `con_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeConnector"];
            };
        };
        responses: {
            /** @description The connector. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connector: components["schemas"]["Connector"];
                    };
                };
            };
        };
    };
    revalidateAccess: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `con_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevalidateAccess"];
            };
        };
        responses: {
            /** @description Of each session, what the app is to be told, or why it is over. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description As many as were asked about, in the same order. */
                        sessions: (components["schemas"]["AccessGranted"] | {
                            /** @constant */
                            allowed: false;
                            /**
                             * @description What the question about this session alone would be refused with.
                             * @enum {string}
                             */
                            code: "SESSION_INVALID" | "CONNECTOR_DISABLED" | "ROUTE_NAME_NOT_FOUND";
                        })[];
                    };
                };
            };
        };
    };
    rotateConnectorSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `con_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateConnectorSecret"];
            };
        };
        responses: {
            /** @description The connector, and the secret, shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connector: components["schemas"]["Connector"];
                        /** @description What its callbacks are signed with: `whsec_` and base64. Shown at no other time. */
                        callbackSecret: string;
                    };
                };
            };
        };
    };
    listInboxProjects: {
        parameters: {
            query?: {
                /** @description How many projects a page has at most; 200 unless said. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxProjects"];
                };
            };
        };
    };
    listInboxNotifications: {
        parameters: {
            query?: {
                /** @description Only this project; `none` is what has no project. */
                projectId?: string;
                /** @description True for what is unread, false for what is read. */
                unread?: boolean;
                /** @description A text in title or body, in any case. */
                q?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of items. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxNotificationPage"];
                };
            };
        };
    };
    markInboxRead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadThrough"];
            };
        };
        responses: {
            /** @description All of it is read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** Format: date-time */
                        readAt: string | null;
                        /** @description True when nothing had to change. */
                        idempotent?: boolean;
                        /** @description How many were unread until now. */
                        updated: number;
                    };
                };
            };
        };
    };
    getInboxNotification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description `event:evt_…` or `notification:anot_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxNotificationDetail"];
                };
            };
        };
    };
    markInboxNotificationRead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description `event:evt_…` or `notification:anot_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMark"];
                };
            };
        };
    };
    markInboxNotificationUnread: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description `event:evt_…` or `notification:anot_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is unread. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMark"];
                };
            };
        };
    };
    getInstallationHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The services, how far projections are behind the log, and what became of pushes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationHealth"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of dead letters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deadLetters: {
                            id: string;
                            /** @description The service, and its queue or projection. */
                            queue: string;
                            /** @description What it is about: a push, or the account that a projection has set aside. */
                            subject: string;
                            reason: string;
                            /** @description How often it was tried before it was given up. */
                            attempts: number;
                            /**
                             * Format: date-time
                             * @description When it was given up.
                             */
                            at: string;
                        }[];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    retryDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    dropDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ok"];
                };
            };
        };
    };
    openStream: {
        parameters: {
            query?: never;
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    readAuditLog: {
        parameters: {
            query?: {
                /** @description `csv`: an export, up to 50,000 entries; `limit` and `cursor` do not apply. */
                format?: "json" | "csv";
                /** @description How many entries a page has at most; 100 unless said. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
                /** @description Not before this. At most 20 years from now. */
                from?: string;
                /** @description Before this. At most 20 years from now. */
                to?: string;
                action?: string;
                /** @description An id that begins with `usr_`. */
                actorUserId?: string;
            };
            header?: {
                /** @description Taken over when it matches `^[A-Za-z0-9._-]{8,64}$`; else the request gets a new one. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The version that the caller speaks. Only 1 is spoken here. */
                "Agent-Api-Version"?: components["parameters"]["ApiVersion"];
                /** @description As an earlier answer gave it: this one will not be older than that. */
                "Carillon-Position"?: components["parameters"]["Position"];
            };
            path: {
                /** @description An id that begins with `team_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries, or the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLogPage"];
                    "text/csv": string;
                };
            };
        };
    };
}
