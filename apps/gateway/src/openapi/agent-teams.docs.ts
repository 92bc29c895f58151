import type { RouteDocs } from './document';

/** The routes of families and teams, of their on-call groups and of pages. */
export const agentTeamDocs: Readonly<Record<string, RouteDocs>> = {
  'GET /teams': {
    operationId: 'listTeams',
    tag: 'Teams',
    summary: 'List teams',
    description: 'The families and workplace teams that the account is in.',
    success: 'A page of teams.',
  },
  'POST /teams': {
    operationId: 'createTeam',
    tag: 'Teams',
    summary: 'Make a family or a team',
    description:
      'Makes a family, of which the account is the owner. An account is in one family at most, and owns five workplace teams at most. Workplace teams are made by the operator of the installation, and 403 to others for `kind: team` and for none; unless it says `TEAMS_MODE=open`.',
    success: 'The family or team was made.',
  },
  'GET /teams/:id': {
    operationId: 'getTeam',
    tag: 'Teams',
    summary: 'Read a team and its members',
    description: 'The members come by role, then by name.',
    success: 'The team and its members.',
  },
  'PATCH /teams/:id': {
    operationId: 'changeTeam',
    tag: 'Teams',
    summary: 'Change a team',
    description:
      'The name is for admins, the rest for the owner; when one field is not for the role of the account, nothing is changed. `autoJoinVerifiedDomain` is for workplace teams.',
    success: 'The team.',
  },
  'GET /teams/:id/audit': {
    operationId: 'readAuditLog',
    tag: 'Teams',
    summary: 'Read or export the audit log of a team',
    description:
      'For admins and the owner, the newest entry first. Each entry has the hash of the one before it, and `metadata.proof` what a verifier needs beside the other fields: an entry that was altered, taken out or moved is found. `format=csv` gives up to 50,000 entries as a file, and begins with the signed entry of the export itself; `limit` and `cursor` do not apply to it; `X-Audit-Truncated` says that there are more. A cell that a spreadsheet would calculate has a quote before it. The keys of the signatures are at `/.well-known/carillon/audit-keys.json`.',
    success: 'A page of entries, or the file.',
  },
  'POST /teams/:id/domain': {
    operationId: 'setTeamDomain',
    tag: 'Teams',
    summary: 'Name the e-mail domain of a team',
    description:
      'For the owner. Answers with the TXT record that proves it; the same domain keeps its record, another one gets a new one. A domain that was proved before stays until this one is.',
    success: 'The team, with the domain and its challenge.',
  },
  'DELETE /teams/:id/domain': {
    operationId: 'clearTeamDomain',
    tag: 'Teams',
    summary: 'Take its domain off a team',
    description: 'For the owner: the pending one and the proved one, and nobody joins by it any more.',
    success: 'It has none.',
  },
  'POST /teams/:id/domain/verify': {
    operationId: 'verifyTeamDomain',
    tag: 'Teams',
    summary: 'Prove the domain of a team',
    description:
      'For the owner. Looks for the TXT record now: ten times in ten minutes and sixty times a day. What the name servers say is never kept; that they failed is said again for 30 seconds. A domain is proved by one team.',
    success: 'The team, whose domain it is now.',
  },
  'GET /teams/:id/oncall': {
    operationId: 'listOncallGroups',
    tag: 'On call',
    summary: 'List the on-call groups of a team',
    description: 'Each with the people on call now and next. A family has none.',
    success: 'A page of on-call groups.',
  },
  'POST /teams/:id/oncall': {
    operationId: 'createOncallGroup',
    tag: 'On call',
    summary: 'Make an on-call group',
    description:
      'Members of the team who take turns. Turns change on local days at `handoffAt`: a time that a clock change leaves out moves forward, of one that comes twice the first counts.',
    success: 'The group was made.',
  },
  'GET /oncall/:groupId': {
    operationId: 'getOncallGroup',
    tag: 'On call',
    summary: 'Read an on-call group',
    description:
      'With the people on call now and next, and the current and future overrides. With `at`: the people on call at that time, as known then, not as rewritten since.',
    success: 'The group.',
  },
  'GET /oncall/me': {
    operationId: 'getOwnOncall',
    tag: 'On call',
    summary: 'Read one’s own shifts and pages',
    description: 'In all groups of all teams that the account is in.',
    success: 'The shifts that run and come, and the open pages that have notified the person.',
  },
  'GET /oncall/:groupId/explain': {
    operationId: 'explainOncall',
    tag: 'On call',
    summary: 'Explain the person on call at a time',
    description:
      'The rule, the turn, the override, and the clock change that moved the handoff, in fields and in words. Of a time in the past: as it was known then.',
    success: 'The person, and why.',
  },
  'GET /oncall/:groupId/coverage': {
    operationId: 'getOncallCoverage',
    tag: 'On call',
    summary: 'Find the gaps of a schedule',
    description: 'When nobody is on call in the next 366 days, and when several people are at once.',
    success: 'The gaps and overlaps.',
  },
  'PATCH /oncall/:groupId': {
    operationId: 'changeOncallGroup',
    tag: 'On call',
    summary: 'Change an on-call group',
    description:
      'For admins. What is not named of the rotation stays, also the local date that turns are counted from. Open pages keep the escalation they began with.',
    success: 'The group, and what its schedule leaves open.',
  },
  'DELETE /oncall/:groupId': {
    operationId: 'deleteOncallGroup',
    tag: 'On call',
    summary: 'Delete an on-call group',
    description: 'For admins. Its open pages are resolved.',
    success: 'The group is deleted.',
  },
  'POST /oncall/me/calendar': {
    operationId: 'openOwnCalendar',
    tag: 'On call',
    summary: 'Make a calendar of one’s own shifts',
    description:
      'A secret URL that a calendar program subscribes to: an iCalendar object of the shifts of 180 days in all groups. It is shown once, and ends the one before.',
    success: 'The URL.',
  },
  'DELETE /oncall/me/calendar': {
    operationId: 'closeOwnCalendar',
    tag: 'On call',
    summary: 'End the calendar of one’s own shifts',
    description: 'Its URL is 404 from now on.',
    success: 'The URL has ended.',
  },
  'POST /oncall/:groupId/calendar': {
    operationId: 'openOncallCalendar',
    tag: 'On call',
    summary: 'Make a calendar of a group’s shifts',
    description:
      'A secret URL that a calendar program subscribes to: an iCalendar object of the shifts of 180 days. It is shown once, and ends the account’s one before. It ends too when the person leaves the team or the group is deleted.',
    success: 'The URL.',
  },
  'DELETE /oncall/:groupId/calendar': {
    operationId: 'closeOncallCalendar',
    tag: 'On call',
    summary: 'End a calendar of a group’s shifts',
    description: 'The account’s own: its URL is 404 from now on.',
    success: 'The URL has ended.',
  },
  'POST /oncall/:groupId/simulate': {
    operationId: 'simulateOncall',
    tag: 'On call',
    summary: 'Try another rotation, escalation or override',
    description:
      'Shows the shifts to come and the gaps of a changed schedule, and replays the pages of the last 90 days by it, up to when somebody took each; what is not named is as it is. Nothing is sent, and nothing kept. An account may ask 10 times a minute.',
    success:
      'The shifts without and with the change, what it leaves open, and the people that each page has notified and would have notified.',
  },
  'POST /oncall/:groupId/overrides': {
    operationId: 'createOverride',
    tag: 'On call',
    summary: 'Put somebody on call for a window',
    description:
      'Admins name any member of the team, members themselves. At most 31 days long and 366 days ahead; a start in the past becomes now. Two overrides of a group do not overlap.',
    success: 'The override, the group with it, and what the schedule leaves open.',
  },
  'DELETE /oncall/:groupId/overrides/:overrideId': {
    operationId: 'deleteOverride',
    tag: 'On call',
    summary: 'Delete an override',
    description:
      'For admins and the person of the override. A running override ends now, and its past part stays.',
    success: 'The override is deleted, and what the schedule leaves open.',
  },
  'GET /teams/:id/apps': {
    operationId: 'listTeamApps',
    tag: 'Teams',
    summary: 'List the web apps of a team',
    description: 'Those that members have moved into it, by name.',
    success: 'A page of web apps.',
  },
  'GET /teams/:id/groups': {
    operationId: 'listDeviceGroups',
    tag: 'Teams',
    summary: 'List the device groups of a team',
    description: 'For everybody in it.',
    success: 'A page of device groups.',
  },
  'GET /teams/:id/groups/:groupId': {
    operationId: 'getDeviceGroup',
    tag: 'Teams',
    summary: 'Describe a device group',
    description: 'For everybody in the team.',
    success: 'The group.',
  },
  'PATCH /teams/:id/groups/:groupId': {
    operationId: 'changeDeviceGroup',
    tag: 'Teams',
    summary: 'Change a device group',
    description:
      'What is absent stays; a list is replaced as a whole. Needs the role `admin`, in a family `owner`.',
    success: 'The group as it is now.',
  },
  'DELETE /teams/:id/groups/:groupId': {
    operationId: 'deleteDeviceGroup',
    tag: 'Teams',
    summary: 'Delete a device group',
    description:
      'What was sent to it stays with those who got it. Needs the role `admin`, in a family `owner`.',
  },
  'GET /teams/:id/devices': {
    operationId: 'listTeamDevices',
    tag: 'Teams',
    summary: 'List the devices of a team',
    description: 'Those of its members, the last seen first. Needs the role `admin`, in a family `owner`.',
    success: 'A page of devices.',
  },
  'GET /teams/:id/pages': {
    operationId: 'listPages',
    tag: 'On call',
    summary: 'List the pages of a team',
    description:
      '`status` may be given more than once. Pages that are over are left out when the team keeps nothing for that long.',
    success: 'A page of the list.',
  },
  'POST /oncall/:groupId/pages': {
    operationId: 'triggerPage',
    tag: 'On call',
    summary: 'Page an on-call group',
    description:
      'Notifies the person on call, or everybody in the rotation when nobody is. Each step of the escalation runs when nobody has acknowledged it so long after the one before, and at once when no device was reached. While a page of the group with the same `dedupKey` is open, it absorbs this one: 200, `deduplicated`, and nothing is sent. It counts as a page, of which an account has a reserve, and not as a send.',
    success: 'The page, with the devices that have accepted it.',
  },
  'GET /pages/:id': {
    operationId: 'getPage',
    tag: 'On call',
    summary: 'Read a page',
    description: 'For the members of its team, also when its group is gone.',
    success: 'The page.',
  },
  'POST /pages/:id/resolve': {
    operationId: 'resolvePage',
    tag: 'On call',
    summary: 'Resolve a page',
    description: 'Ends it, whatever its state, and takes it off all phones. One that is over stays as it is.',
    success: 'The page.',
  },
  'POST /teams/:id/groups': {
    operationId: 'createDeviceGroup',
    tag: 'Teams',
    summary: 'Make a device group',
    description:
      'People and single devices of the team that can be reached together, as `deviceGroupId`. Needs the role `admin`, in a family `owner`. A person who leaves the team leaves the group, and a device that is removed from its account does. No two groups of a team have names that differ in their case alone.',
    success: 'The group.',
  },
  'DELETE /teams/:id': {
    operationId: 'deleteTeam',
    tag: 'Teams',
    summary: 'Delete a team',
    description:
      'For the owner. All that is in it ends with it; what members shared with it is theirs alone again.',
  },
  'POST /teams/:id/leave': {
    operationId: 'leaveTeam',
    tag: 'Teams',
    summary: 'Leave a team',
    description:
      'What the account shared with the team is its own alone again. The owner has to make somebody else the owner first.',
  },
  'PATCH /teams/:id/members/:userId': {
    operationId: 'changeMemberRole',
    tag: 'Teams',
    summary: 'Change the role of a member',
    description:
      'Admins and the owner make members admins and admins members. `owner` transfers the ownership and is for the owner, who is an admin from then on, in a family a member. Everybody but the owner of a family is a member.',
    success: 'The member.',
  },
  'DELETE /teams/:id/members/:userId': {
    operationId: 'removeMember',
    tag: 'Teams',
    summary: 'Remove a member',
    description:
      'For admins and the owner; an admin is removed by the owner only. Removing oneself is leaving.',
  },
  'GET /teams/:id/invites': {
    operationId: 'listInvites',
    tag: 'Teams',
    summary: 'List invites',
    description:
      'For admins and the owner, the newest first. An invite is listed until 90 days after its expiry; one that is for more than one person is open until it expires or is revoked, however often it was accepted.',
    success: 'A page of invites.',
  },
  'POST /teams/:id/invites': {
    operationId: 'createInvite',
    tag: 'Teams',
    summary: 'Invite people into a team',
    description:
      'For admins and the owner; only the owner invites admins. Good for 7 days: with `email` for one account that has verified this address, with `domain` for all accounts with a verified address in the verified domain of the team, with neither for everybody with the link. The code is shown this once. `url` leads to a page that says what the invite is for and how a person who is signed in accepts it; opening it accepts nothing. In a family an open invite for an address keeps a seat.',
    success: 'The invite, its code and its link.',
  },
  'DELETE /teams/:id/invites/:inviteId': {
    operationId: 'revokeInvite',
    tag: 'Teams',
    summary: 'Revoke an invite',
    description: 'For admins and the owner. It is dead at once; revoking it again changes nothing.',
  },
};
