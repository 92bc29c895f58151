/** Which token of a phone a request to APNs addressed. */
export type TokenKind = { kind: 'alert' } | { kind: 'start' } | { kind: 'update'; activityId: string };
