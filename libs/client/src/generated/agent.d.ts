// Written by tools/client-types.mjs from docs/openapi/agent.yaml.

export interface paths {
    "/auth/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the calling token
         * @description Tells the name, the scopes and the end of the token that asks.
         *
         *     Any valid token may do this.
         */
        get: operations["getAuthStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the calling token
         * @description Ends the token that asks, for good. Every later request with it is 401.
         *
         *     Any valid token may do this.
         */
        post: operations["revokeOwnToken"];
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
         * @description The newest first, never with their secrets.
         *
         *     Needs the scope `tokens:manage`.
         */
        get: operations["listTokens"];
        put?: never;
        post?: never;
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
         * Revoke another token
         * @description For good. The calling token ends itself with `POST /auth/revoke`.
         *
         *     Needs the scope `tokens:manage`.
         */
        delete: operations["revokeToken"];
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
         *
         *     Needs the scope `devices:read`.
         */
        get: operations["listDevices"];
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
         *
         *     Needs the scope `devices:write`.
         */
        delete: operations["removeDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/billing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe plan and limits
         * @description Individuals and families are free.
         *
         *     Needs the scope `billing:read`.
         */
        get: operations["getBilling"];
        put?: never;
        post?: never;
        delete?: never;
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
         *
         *     Needs the scope `services:read`.
         */
        get: operations["listServices"];
        put?: never;
        /**
         * Make a webhook service
         * @description Everybody who knows its URL can send to the person. The URL is shown this once. `preset` names the form in which the sender writes.
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `services:read`.
         */
        get: operations["getService"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook service
         * @description Its URL answers 404 from then on. What it has sent stays in the inbox. For its creator, and the owner of the  family that shares it.
         *
         *     Needs the scope `services:write`.
         */
        delete: operations["deleteService"];
        options?: never;
        head?: never;
        /**
         * Change a webhook service
         * @description What is absent stays; null clears. The owner of the family that shares it may change `title` and nothing else.
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `services:read`.
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
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `services:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Save a reply webhook
         * @description It hears of prompts that name it, of those of services whose default it is, and with `isDefault` of all. Events are signed as Standard Webhooks 1.0.0 has it; the secret is shown this once. The address must be public: a host that resolves to any other address is refused (422 `DESTINATION_NOT_ALLOWED`); one that does not resolve yet is taken, and checked again at each delivery. At the hostname of a connector of the account, or of a team that it is in, a path is accepted only from a manager of the connector, and only where a route has opened it (`callbackPaths`).
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `services:read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a reply webhook
         * @description What still waits is given up. Services whose default it was have none.
         *
         *     Needs the scope `services:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a reply webhook
         * @description What is absent stays. `headers` replaces the whole list; a header without a value, or with `********`, keeps the saved one. Saved values go to the origin that they were saved for: with a `url` of another origin, headers that are not sent again with their values are dropped, and one without a value is refused. `enabled: false` gives up what still waits. `isDefault: true` replaces any other default.
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `services:write`.
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
         *
         *     Needs the scope `events:read`.
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
         *
         *     Needs the scope `events:read`.
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
    "/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a notification
         * @description Pushes to the named devices, else to all active ones of the account, and puts a copy into the inbox. Answers when the push providers have, at the latest after 10 seconds. `accepted` counts providers that took the push, which is not yet a phone that showed it. Without an active device only the inbox gets it.
         *
         *     At most one of `deviceIds` and `deviceGroupId`. `oncall` pages the people on call, needs the scope  `oncall:write` as well, and goes with neither of them nor with `summary`, `bodyFormat` and `projectId`. The answer is the page then, and `Idempotency-Key` its `dedupKey`: 200 and `deduplicated` when an open page has absorbed it.
         *
         *     Needs the scope `notifications:send`.
         */
        post: operations["sendNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a notification
         * @description Takes the notification off the phones that had got it and marks its copy in the inbox as read. When no device accepts the command, nothing is changed (502). Repeating a withdrawal gives the first answer again.
         *
         *     Needs the scope `notifications:send`.
         */
        post: operations["withdrawNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pending prompts of the account
         * @description From all senders, the newest first.
         *
         *     Needs the scope `interactions:read`.
         */
        get: operations["listInteractions"];
        put?: never;
        /**
         * Ask a person
         * @description Asks for an approval, for yes or no, or for a text, on the phones of the account. `accepted` counts the devices whose push provider took it within 10 seconds; a live activity is answered at once, with its devices `queued`. Without an active device it can be answered in a session. With `escalateTo` it pages an on-call group when nobody has answered by then, which needs the scope `oncall:write` as well.
         *
         *     Needs the scope `interactions:create`.
         */
        post: operations["createInteraction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look what became of a prompt
         * @description Of those that the calling token has asked.
         *
         *     Needs the scope `interactions:read`.
         */
        get: operations["getInteraction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions/{id}/cancel": {
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
         * @description While it is pending. Phones take it away. Taking it back again changes nothing.
         *
         *     Needs the scope `interactions:create`.
         */
        post: operations["cancelInteraction"];
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
         * List the activities of the calling token
         * @description Those of the last 30 days, the newest first, also those of prompts that are shown as activities. `status` may be there several times.
         *
         *     Needs the scope `activities:read`.
         */
        get: operations["listActivities"];
        put?: never;
        /**
         * Start an activity
         * @description Shows it on the named devices, else on all active ones of the account that can: Android, and iOS with live activities. It is stored when this answers; the device starts follow, one every 2 s on a device, and `queued` counts them. A device shows at most 5 activities; when one of them is full, none gets it (422).
         *
         *     A `key` stands for the activity as long as it runs. Another start with a key that is in use is refused (409), or with `replace` ends the running one and starts this one instead.
         *
         *     At most one of `deviceIds` and `deviceGroupId`.
         *
         *     Needs the scope `activities:write`.
         */
        post: operations["startActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activities/{identifier}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one activity
         * @description By its id, or by the key: what runs under it, else what did last.
         *
         *     Needs the scope `activities:read`.
         */
        get: operations["getActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what an activity shows
         * @description The props that are given change, the others stay; null takes one away. A routine change that was not sent yet gives way to the next (`superseded`). `priority: high` is for milestones: 4 a minute and 20 an hour are granted, and never give way; more of them go as `budget_exhausted`.
         *
         *     Needs the scope `activities:write`.
         */
        patch: operations["updateActivity"];
        trace?: never;
    };
    "/activities/{identifier}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an activity
         * @description Over at once; the phones hear of it in their turn, also those whose update token is still to come. What does not run any more stays as it is (`idempotent`).
         *
         *     Needs the scope `activities:write`.
         */
        post: operations["endActivity"];
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
         *
         *     Needs the scope `teams:read`.
         */
        get: operations["listTeams"];
        put?: never;
        /**
         * Make a family or a team
         * @description Makes a family, of which the account is the owner. An account is in one family at most, and owns five workplace teams at most. Workplace teams are made by the operator of the installation, and 403 to others for `kind: team` and for none; unless it says `TEAMS_MODE=open`.
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `teams:read`.
         */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        /**
         * Delete a team
         * @description For the owner. All that is in it ends with it; what members shared with it is theirs alone again.
         *
         *     Needs the scope `teams:write`.
         */
        delete: operations["deleteTeam"];
        options?: never;
        head?: never;
        /**
         * Change a team
         * @description The name is for admins, the rest for the owner; when one field is not for the role of the account, nothing is changed. `autoJoinVerifiedDomain` is for workplace teams.
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `teams:write`.
         */
        post: operations["setTeamDomain"];
        /**
         * Take its domain off a team
         * @description For the owner: the pending one and the proved one, and nobody joins by it any more.
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `oncall:read`.
         */
        get: operations["listOncallGroups"];
        put?: never;
        /**
         * Make an on-call group
         * @description Members of the team who take turns. Turns change on local days at `handoffAt`: a time that a clock change leaves out moves forward, of one that comes twice the first counts.
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scope `oncall:read`.
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
         *
         *     Needs the scope `oncall:read`.
         */
        get: operations["getOncallGroup"];
        put?: never;
        post?: never;
        /**
         * Delete an on-call group
         * @description For admins. Its open pages are resolved.
         *
         *     Needs the scope `oncall:write`.
         */
        delete: operations["deleteOncallGroup"];
        options?: never;
        head?: never;
        /**
         * Change an on-call group
         * @description For admins. What is not named of the rotation stays, also the local date that turns are counted from. Open pages keep the escalation they began with.
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scope `oncall:read`.
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
         *
         *     Needs the scope `oncall:read`.
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
         *
         *     Needs the scope `oncall:write`.
         */
        post: operations["openOwnCalendar"];
        /**
         * End the calendar of one’s own shifts
         * @description Its URL is 404 from now on.
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scope `oncall:write`.
         */
        post: operations["openOncallCalendar"];
        /**
         * End a calendar of a group’s shifts
         * @description The account’s own: its URL is 404 from now on.
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scope `oncall:read`.
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
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scopes `teams:read` and `apps:read`.
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
         *
         *     Needs the scope `teams:read`.
         */
        get: operations["listDeviceGroups"];
        put?: never;
        /**
         * Make a device group
         * @description People and single devices of the team that can be reached together, as `deviceGroupId`. Needs the role `admin`, in a family `owner`. A person who leaves the team leaves the group, and a device that is removed from its account does. No two groups of a team have names that differ in their case alone.
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `oncall:read`.
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
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scope `oncall:read`.
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
         *
         *     Needs the scope `oncall:write`.
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
         *
         *     Needs the scope `teams:read`.
         */
        get: operations["getDeviceGroup"];
        put?: never;
        post?: never;
        /**
         * Delete a device group
         * @description What was sent to it stays with those who got it. Needs the role `admin`, in a family `owner`.
         *
         *     Needs the scope `teams:write`.
         */
        delete: operations["deleteDeviceGroup"];
        options?: never;
        head?: never;
        /**
         * Change a device group
         * @description What is absent stays; a list is replaced as a whole. Needs the role `admin`, in a family `owner`.
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `teams:read`.
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
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `teams:write`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Admins and the owner make members admins and admins members. `owner` transfers the ownership and is for the owner, who is an admin from then on, in a family a member. Everybody but the owner of a family is a member.
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `teams:read`.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Invite people into a team
         * @description For admins and the owner; only the owner invites admins. Good for 7 days: with `email` for one account that has verified this address, with `domain` for all accounts with a verified address in the verified domain of the team, with neither for everybody with the link. The code is shown this once. `url` leads to a page that says what the invite is for and how a person who is signed in accepts it; opening it accepts nothing. In a family an open invite for an address keeps a seat.
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `teams:write`.
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
         *
         *     Needs the scope `apps:read`.
         */
        get: operations["listApps"];
        put?: never;
        /**
         * Add a web app
         * @description One of the account itself. Where it has one with this URL already, that gets the name, the icon and the project, and the answer is 200; what is absent stays as it is.
         *
         *     Needs the scope `apps:write`.
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
         *
         *     Needs the scope `apps:read`.
         */
        get: operations["getApp"];
        put?: never;
        post?: never;
        /**
         * Remove a web app
         * @description An app of a team can be removed by the member who added it and by admins. All consents and sessions end.
         *
         *     Needs the scope `apps:write`.
         */
        delete: operations["removeApp"];
        options?: never;
        head?: never;
        /**
         * Change a web app
         * @description Absent fields stay. An app of a team can be changed by the member who added it and by admins. Another origin ends all consents and signs everybody out of the app; a URL of the same origin does not. Consent and disclosure cannot be changed here.
         *
         *     Needs the scope `apps:write`.
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
         *
         *     Needs the scope `apps:write`.
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
         *
         *     Needs the scopes `apps:write` and `teams:write`.
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
         *
         *     Needs the scope `connectors:read`.
         */
        get: operations["listConnectors"];
        put?: never;
        /**
         * Register a connector
         * @description One of the account, or of a team that it is an admin of. The hostname is kept in lower case and in its A-label form, and no two connectors have the same. A connector of an account serves its own apps, one of a team those of the team; its on-call group is one of that team. The secret is shown this once.
         *
         *     Needs the scope `connectors:write`.
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
         *
         *     Needs the scope `connectors:read`.
         */
        get: operations["getConnector"];
        put?: never;
        post?: never;
        /**
         * Remove a connector
         * @description Sessions through it end, callbacks that wait for it are canceled, its hostname is free.
         *
         *     Needs the scope `connectors:write`.
         */
        delete: operations["removeConnector"];
        options?: never;
        head?: never;
        /**
         * Change a connector
         * @description What is absent stays as it is; `routes` replaces all routes. `enabled: false` refuses all visitors, while heartbeats continue.
         *
         *     Needs the scope `connectors:write`.
         */
        patch: operations["changeConnector"];
        trace?: never;
    };
    "/connectors/{id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that the program at the other end runs
         * @description Brings the connector online. Without a heartbeat for 90 seconds it is offline, and its on-call group is paged; the next one resolves that page. Also while it is switched off.
         *
         *     Needs the scope `connectors:write`.
         */
        post: operations["sendHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/{id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a visitor in
         * @description For the program at the other end, at every request of a visitor: it spends a pass for a session, or goes on with one. A pass is for one use within a minute, a session for 12 hours and until it was not used for half an hour; both are for this connector, the route, its app and one person. They hold while that person can see the app and agrees to be signed in: what is wrong with one is never told. A route without an app lets nobody in.
         *
         *     Needs the scope `connectors:write`.
         */
        post: operations["grantAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         *
         *     Needs the scope `connectors:write`.
         */
        post: operations["revalidateAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/{id}/callback-access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a callback over
         * @description For the program at the other end, which got a delivery of a reply webhook at `/.well-known/carillon-callback/`. Carillon computes the signature over what it has recorded; each attempt is taken over once, within five minutes, and only where a route opens the path for callbacks now. Whatever is wrong with it, the code is the same.
         *
         *     Needs the scope `connectors:write`.
         */
        post: operations["allowCallback"];
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
         *
         *     Needs the scope `connectors:write`.
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
         *
         *     Needs the scope `inbox:read`.
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
         *
         *     Needs the scope `inbox:read`.
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
         *
         *     Needs the scope `inbox:write`.
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
         *
         *     Needs the scope `inbox:read`.
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
         *
         *     Needs the scope `inbox:write`.
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
         *
         *     Needs the scope `inbox:write`.
         */
        post: operations["markInboxNotificationUnread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the messages of a reply webhook
         * @description Of the last 24 hours, in the order of their numbers: the same body and id as the request to its URL, signed for this answer, whether or not that was delivered and whether or not the webhook is enabled now. Waits for the next one when there is none, as one of the 20 waits that a token may have open at once; then an answer without messages means: ask again. Headers that were saved for the URL are left out.
         *
         *     Needs the scope `services:write`.
         */
        get: operations["pullWebhookMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions/{id}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wait until a prompt ends
         * @description Answers as soon as the prompt is not pending, else with `timedOut` when the time is over: then ask again. A token may have 20 waits open at once.
         *
         *     Needs the scope `interactions:read`.
         */
        get: operations["waitForInteraction"];
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
         *
         *     Needs the scope `teams:read`.
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
        ActivityStepInput: {
            label: string;
            /** @enum {string} */
            state: "pending" | "active" | "done" | "failed";
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
        AgentNotificationWithdrawn: {
            /** @constant */
            ok: true;
            notificationId: string;
            /**
             * @description `withdrawn` when every device that had got the push accepted the command, `withdraw_partial` when some did.
             * @enum {string}
             */
            status: "withdrawn" | "withdraw_partial";
            /** @description Devices whose push provider has accepted the command. */
            accepted: number;
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
        AllowCallback: {
            /** @description The last part of the path that it came to. An id that begins with `cbd_`. */
            deliveryId: string;
            /** @description Its `webhook-timestamp`. */
            timestamp: number;
            /** @description Its `connector-signature`, whole. */
            signature: string;
            /** @description Of its body. */
            bodySha256: string;
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
        /** @description What the account pays and may do. There is one plan, and it is free. */
        Billing: {
            /** @description Whether there is a payment provider. */
            configured: boolean;
            /** @constant */
            plan: "free";
            priceMonthly: number;
            features: {
                deviceRouting: boolean;
            };
            limits: {
                devices: number | null;
                notificationsPerMonth: number | null;
                servicePerMinute: number;
                accountPerMinute: number;
            };
            usage: {
                notificationsRemaining: number | null;
            };
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
        ChangeOncallGroup: {
            name?: string;
            rotation?: components["schemas"]["ChangedRotation"];
            escalation?: components["schemas"]["EscalationStep"][];
            /** @description Notifies those whose shifts begin or end. */
            handoffNotices?: boolean;
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
        ChangedProps: {
            title?: string;
            /** @enum {string|null} */
            layout?: "standard" | "ring" | "hero" | "terminal" | "steps" | null;
            /** @description Displayed under the title, where space allows. */
            subtitle?: string | null;
            /** @description A short status; the only text where space is scarce. */
            status?: string | null;
            /** @description May hold line breaks. */
            detail?: string | null;
            /** @description From 0 to 1. Without it no progress is shown. */
            progress?: number | null;
            /**
             * @description Tint and glyph; `running` unless said.
             * @enum {string|null}
             */
            state?: "running" | "waiting" | "success" | "warning" | "error" | null;
            /** @description The name of a symbol, or one emoji. The name of a symbol (a-z, 0-9 and . _ -) or one emoji. */
            icon?: string | null;
            /** @description Such as `#1f883d`. */
            accentColor?: string | null;
            /** @description For the layout `steps` only. */
            steps?: components["schemas"]["ActivityStepInput"][] | null;
            /** @description For the layout `terminal` only. */
            lines?: string[] | null;
            /**
             * Format: date-time
             * @description The phone counts up from here by itself. From 1900 to 2199.
             */
            startedAt?: string | null;
            /**
             * Format: date-time
             * @description The phone counts down to here by itself. After `startedAt`. From 1900 to 2199.
             */
            endsAt?: string | null;
            /**
             * Format: uri
             * @description A picture to show with it. An absolute https address.
             */
            imageUrl?: string | null;
            /**
             * Format: uri
             * @description Where a tap leads. An absolute http or https address, or one of an app.
             */
            url?: string | null;
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
        CreateDeviceGroup: {
            name: string;
            userIds?: string[];
            deviceIds?: string[];
        };
        CreateInteraction: {
            title: string;
            /** @description The question itself. May hold line breaks. */
            prompt: string;
            /** @enum {string} */
            kind: "approval" | "yes_no" | "reply";
            /**
             * @description How phones show it; `notification` unless said.
             * @enum {string}
             */
            presentation?: "notification" | "live_activity";
            /** @description Texts to choose from; for `reply` only. */
            choices?: string[];
            /** @description What the button for `approved` or `yes` says. Not for `reply`. */
            primaryLabel?: string;
            /** @description What the button for `denied` or `no` says. Not for `reply`. */
            secondaryLabel?: string;
            /** @description Whether it rings devices in their quiet hours too. */
            urgent?: boolean;
            /**
             * Format: uri
             * @description A picture to show with it. An absolute https address.
             */
            imageUrl?: string | null;
            /**
             * Format: uri
             * @description Where the person can read more. An absolute http or https address, or one of an app.
             */
            url?: string | null;
            /** @description When it expires, in seconds from now; 3600 unless said. A live activity lasts 28800 at most. */
            expiresInSeconds?: number;
            /**
             * Format: date-time
             * @description When it expires, as a moment instead. From 1900 to 2199.
             */
            expiresAt?: string;
            /** @description The service in whose name it is asked. An id that begins with `svc_`. */
            serviceId?: string;
            /** @description The reply webhook that hears how it ends, beside the default of the account. An id that begins with `whk_`. */
            webhookId?: string;
            /** @description A label of your own, by which the inbox groups. */
            projectId?: string | null;
            /** @description How the inbox calls the project. */
            projectName?: string;
            /** @description These active devices only. */
            deviceIds?: string[];
            /** @description The devices of this group, and the inboxes of its people. An id that begins with `dgr_`. */
            deviceGroupId?: string;
            /** @description Unanswered by then, which is before it expires, it pages the group; its answer still counts and resolves the page. */
            escalateTo?: components["schemas"]["EscalateTo"];
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
        EndActivity: {
            /** @description How it looks in the end, where that is different. */
            props?: components["schemas"]["ChangedProps"];
            /** @description How long the phone may still show it; 300 unless said. */
            dismissAfterSeconds?: number;
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
        EscalateTo: {
            /** @description An id that begins with `ocg_`. */
            groupId: string;
            afterSeconds: number;
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
        GrantAccess: {
            /** @description What the visitor came with. Spent by this. Either this or `session`. */
            pass?: string;
            /** @description What an earlier pass was turned into. Either this or `pass`. */
            session?: string;
            /** @description The name of the route that the visitor wants. */
            route: string;
            /** @description Of the request of the visitor. Nothing hangs on it. */
            method?: string;
            /** @description Of the request of the visitor, cut to 2048 characters. Nothing hangs on it. */
            path?: string;
        };
        Heartbeat: {
            agentVersion?: string;
            /** @description Which of its routes answer. */
            routes?: components["schemas"]["RouteHealth"][];
        };
        /** @description A question as the person who is asked sees it. */
        InboxInteraction: {
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
        };
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
        /** @description A question to a person, and what became of it. */
        Interaction: {
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
        };
        InteractionCreated: {
            interaction: components["schemas"]["Interaction"];
            /** @description Devices whose push provider had accepted it when this was first answered. */
            accepted: number;
            /** @description There when this repeats the answer of an earlier request. */
            idempotent?: boolean;
            /** @description The live activity that shows it. */
            liveActivityId?: string;
            /** @description Devices on which the live activity is to start: neither accepted nor received. */
            queued?: number;
            message?: string;
        };
        Issue: {
            /** @description Which field, such as `receipts.0.receivedAt`; empty for the body as a whole. */
            path: string;
            /** @description Part of a sentence that goes on after the path. */
            message: string;
            code: string;
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
        LiveActivityMutation: {
            activity: components["schemas"]["LiveActivity"];
            /** @description Devices whose provider has accepted this change by the time of the answer. */
            accepted: number;
            /** @description Devices whose provider has refused it for good by then. */
            failed: number;
            /**
             * @description The priority on the way to iOS devices.
             * @enum {integer}
             */
            apnsPriority?: 5 | 10;
            /** @enum {string} */
            priorityReason?: "routine" | "milestone" | "budget_exhausted" | "start" | "end" | "interaction";
            /** @description Device operations of this change that are stored and wait: for their turn, for an update token of iOS, or for the provider. */
            queued?: number;
            /** @description Unsent routine changes that this one has superseded. */
            superseded?: number;
            /** @description Devices that showed the activity which this one replaces. */
            replaced?: number;
            /** @description True when an earlier request did it. */
            idempotent?: boolean;
            /** @description A word on what happened, when there is one to say. */
            message?: string;
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
        RouteHealth: {
            name: string;
            healthy: boolean;
        };
        /** @enum {string} */
        Scope: "notifications:send" | "interactions:create" | "interactions:read" | "activities:read" | "activities:write" | "services:read" | "services:write" | "devices:read" | "events:read" | "apps:read" | "apps:write" | "devices:write" | "inbox:read" | "inbox:write" | "billing:read" | "tokens:manage" | "teams:read" | "teams:write" | "oncall:read" | "oncall:write" | "connectors:read" | "connectors:write";
        SendNotification: {
            title: string;
            /** @description The whole text. A push shows its beginning, or the summary. May hold line breaks. */
            body: string;
            /** @description What the push shows instead of the body. */
            summary?: string;
            /**
             * @description How the body is written; `text` unless said.
             * @enum {string}
             */
            bodyFormat?: "text" | "markdown";
            /**
             * Format: uri
             * @description A picture to show with it. An absolute https address.
             */
            imageUrl?: string | null;
            /**
             * Format: uri
             * @description Where a tap leads. An absolute http or https address, or one of an app.
             */
            url?: string | null;
            /** @description A label of your own, by which the inbox groups. */
            projectId?: string | null;
            /** @description How the inbox calls the project. */
            projectName?: string;
            /** @description The web app that a tap opens. An id that begins with `app_`. */
            appId?: string;
            /** @description These active devices only. */
            deviceIds?: string[];
            /** @description The devices of this group, and the inboxes of its people. An id that begins with `dgr_`. */
            deviceGroupId?: string;
            /** @description The on-call group to page instead. An id that begins with `ocg_`. */
            oncall?: string;
        };
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
        StartActivity: {
            props: components["schemas"]["StartProps"];
            /** @description A name of your own, accepted instead of the id. One activity at a time runs under it. */
            key?: string;
            /** @description Ends the activity that runs under this key, and starts this one instead. */
            replace?: boolean;
            /** @description When it ends by itself; 28800 unless said. */
            expiresInSeconds?: number;
            /** @description These active devices only. */
            deviceIds?: string[];
            /** @description The devices of this group, and the inboxes of its people. An id that begins with `dgr_`. */
            deviceGroupId?: string;
        };
        StartProps: {
            title: string;
            /**
             * @description `standard` unless said.
             * @enum {string}
             */
            layout?: "standard" | "ring" | "hero" | "terminal" | "steps";
            /** @description Displayed under the title, where space allows. */
            subtitle?: string | null;
            /** @description A short status; the only text where space is scarce. */
            status?: string | null;
            /** @description May hold line breaks. */
            detail?: string | null;
            /** @description From 0 to 1. Without it no progress is shown. */
            progress?: number | null;
            /**
             * @description Tint and glyph; `running` unless said.
             * @enum {string|null}
             */
            state?: "running" | "waiting" | "success" | "warning" | "error" | null;
            /** @description The name of a symbol, or one emoji. The name of a symbol (a-z, 0-9 and . _ -) or one emoji. */
            icon?: string | null;
            /** @description Such as `#1f883d`. */
            accentColor?: string | null;
            /** @description For the layout `steps` only. */
            steps?: components["schemas"]["ActivityStepInput"][] | null;
            /** @description For the layout `terminal` only. */
            lines?: string[] | null;
            /**
             * Format: date-time
             * @description The phone counts up from here by itself. From 1900 to 2199.
             */
            startedAt?: string | null;
            /**
             * Format: date-time
             * @description The phone counts down to here by itself. After `startedAt`. From 1900 to 2199.
             */
            endsAt?: string | null;
            /**
             * Format: uri
             * @description A picture to show with it. An absolute https address.
             */
            imageUrl?: string | null;
            /**
             * Format: uri
             * @description Where a tap leads. An absolute http or https address, or one of an app.
             */
            url?: string | null;
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
        /** @description The token that asks. */
        TokenStatus: {
            /** @constant */
            authenticated: true;
            token: {
                id: string;
                name: string;
                prefix: string;
                scopes: components["schemas"]["Scope"][];
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastUsedAt: string | null;
                /** Format: date-time */
                expiresAt: string | null;
            };
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
        UpdateActivity: {
            /** @description What changes; the rest stays as it is. */
            props?: components["schemas"]["ChangedProps"];
            /**
             * @description `high` for a milestone that a person waits for: 4 a minute and 20 an hour are granted.
             * @enum {string}
             */
            priority?: "normal" | "high";
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
    getAuthStatus: {
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
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenStatus"];
                };
            };
        };
    };
    revokeOwnToken: {
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
            /** @description The token has ended. */
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
    getBilling: {
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
            /** @description The plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Billing"];
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
    sendNotification: {
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
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendNotification"];
            };
        };
        responses: {
            /** @description Done before with this `Idempotency-Key`: the same answer again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentNotificationCreated"] | components["schemas"]["OncallPageCreated"];
                };
            };
            /** @description It is sent, or on its way. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentNotificationCreated"] | components["schemas"]["OncallPageCreated"];
                };
            };
        };
    };
    withdrawNotification: {
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
                /** @description `anot_…`, or `notification:anot_…` as the inbox names it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn from all devices that had got it, or from some. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentNotificationWithdrawn"];
                };
            };
        };
    };
    listInteractions: {
        parameters: {
            query?: {
                kind?: "approval" | "yes_no" | "reply";
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
            /** @description A page of prompts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        interactions: components["schemas"]["InboxInteraction"][];
                        /** @description Give it as `cursor` to get the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createInteraction: {
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
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInteraction"];
            };
        };
        responses: {
            /** @description Done before with this `Idempotency-Key`: the same answer again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InteractionCreated"];
                };
            };
            /** @description The prompt waits for its answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InteractionCreated"];
                };
            };
        };
    };
    getInteraction: {
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
                        interaction: components["schemas"]["Interaction"];
                    };
                };
            };
        };
    };
    cancelInteraction: {
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
                        interaction: components["schemas"]["Interaction"];
                    };
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
    startActivity: {
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
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartActivity"];
            };
        };
        responses: {
            /** @description Done before with this `Idempotency-Key`: the same answer again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveActivityMutation"];
                };
            };
            /** @description It runs, and is on its way to the phones. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveActivityMutation"];
                };
            };
        };
    };
    getActivity: {
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
                /** @description `act_…`, or the key that this token started it with. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The activity. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activity: components["schemas"]["LiveActivity"];
                    };
                };
            };
        };
    };
    updateActivity: {
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
                /** @description `act_…`, or the key that this token started it with. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateActivity"];
            };
        };
        responses: {
            /** @description It is stored, and on its way to the phones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveActivityMutation"];
                };
            };
        };
    };
    endActivity: {
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
                /** @description `act_…`, or the key that this token started it with. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EndActivity"];
            };
        };
        responses: {
            /** @description It is over. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveActivityMutation"];
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
    sendHeartbeat: {
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
                "application/json": components["schemas"]["Heartbeat"];
            };
        };
        responses: {
            /** @description The connector, and how often a heartbeat is to come. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connector: components["schemas"]["Connector"];
                        /** @description How often a heartbeat is to come. */
                        heartbeatIntervalSeconds: number;
                    };
                };
            };
        };
    };
    grantAccess: {
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
                "application/json": components["schemas"]["GrantAccess"];
            };
        };
        responses: {
            /** @description The visitor may come in, with what the app is to be told of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGranted"];
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
    allowCallback: {
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
                "application/json": components["schemas"]["AllowCallback"];
            };
        };
        responses: {
            /** @description Where it goes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        allowed: true;
                        deliveryId: string;
                        /** @description The route that has opened the path for callbacks. */
                        route: string | null;
                        /** @description Path and query of where it goes. */
                        path: string;
                        /** @constant */
                        method: "POST";
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
    pullWebhookMessages: {
        parameters: {
            query?: {
                /** @description `nextAfter` of the answer before. Without it, the oldest message of the last 24 hours is the first. */
                after?: number;
                /** @description How long to wait at most when there is none; 25 unless said. */
                timeoutSeconds?: number;
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
            /** @description At most 25 messages; fewer when their bodies come to 256 KiB. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In the order of their numbers. */
                        messages: {
                            /** @description `carillon-sequence`: from 1, without gaps. */
                            sequence: number;
                            /** @description `webhook-id`: the same whenever the message is sent or read. */
                            id: string;
                            /** @description `webhook-timestamp`: when it was signed for this answer, in seconds since 1970. */
                            timestamp: number;
                            /** @description The headers of a delivery, without those that were saved for the URL. */
                            headers: {
                                "content-type": string;
                                "user-agent": string;
                                "webhook-id": string;
                                "webhook-timestamp": string;
                                "webhook-signature": string;
                                "carillon-sequence": string;
                            };
                            /** @description Exactly what is signed: pass it on as it is. */
                            body: string;
                        }[];
                        /** @description `after` of the next request. */
                        nextAfter: number;
                        /** @description Numbers between `after` and `nextAfter` that cannot be read any more, first and last included. */
                        gaps: {
                            from: number;
                            to: number;
                        }[];
                    };
                };
            };
        };
    };
    waitForInteraction: {
        parameters: {
            query?: {
                /** @description How long to wait at most; 25 unless said. */
                timeoutSeconds?: number;
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
                /** @description An id that begins with `int_`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prompt as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        interaction: components["schemas"]["Interaction"];
                        /** @description The time was over and nothing had happened: ask again. */
                        timedOut: boolean;
                    };
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
