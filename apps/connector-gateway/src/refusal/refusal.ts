/** A "no" of the program itself, in words for a person and a code for a program. */
export interface AnsweredRefusal {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly text: string;
  /** Where in Carillon to go on. */
  readonly open?: string;
  /** Where to post to, to sign out in this browser. */
  readonly leave?: string;
  readonly retryAfterSeconds?: number;
  /** The browser held a session that has ended: what it keeps of the app goes. */
  readonly forget?: { readonly cookie: string };
}

export const unfitAddress = (status: 400 | 414, text: string): AnsweredRefusal =>
  status === 414
    ? { status, code: 'URI_TOO_LONG', title: 'This address is too long', text }
    : { status, code: 'BAD_ADDRESS', title: 'This address cannot be used', text };

export const noRoute: AnsweredRefusal = {
  status: 404,
  code: 'ROUTE_NOT_FOUND',
  title: 'There is nothing here',
  text: 'No route of this connector has this address.',
};

export const methodNotAllowed: AnsweredRefusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  title: 'Not in this way',
  text: 'This address does not take this method.',
};

export const sessionRequired = (open: string): AnsweredRefusal => ({
  status: 401,
  code: 'SESSION_REQUIRED',
  title: 'Open this in Carillon',
  text: 'This app opens from Carillon, for those who may use it.',
  open,
});

export const sessionEnded = (open: string, cookie: string): AnsweredRefusal => ({
  status: 401,
  code: 'SESSION_ENDED',
  title: 'Your session has ended',
  text: 'Open the app in Carillon again. If it was taken from you, it is not in your list there any more.',
  open,
  forget: { cookie },
});

export const passInvalid = (open: string): AnsweredRefusal => ({
  status: 401,
  code: 'PASS_INVALID',
  title: 'This link has been used, or is too old',
  text: 'A link from Carillon works once and for a minute. Open the app there again.',
  open,
});

/** Else anybody could lead somebody into an account that is not theirs, to read what they do there. */
export const otherPerson = (open: string, leave: string): AnsweredRefusal => ({
  status: 409,
  code: 'OTHER_PERSON_SIGNED_IN',
  title: 'Somebody else is signed in here',
  text:
    'This link is for another person than the one who is signed in to this app in this browser. Whoever is signed in ' +
    'stays so. To use the app as the other person, sign out here and open it in Carillon again.',
  open,
  leave,
});

/** Only our own documents may request this, no other site. */
export const leaveElsewhere: AnsweredRefusal = {
  status: 403,
  code: 'OTHER_SITE',
  title: 'Not from another site',
  text: 'To sign out, use the form of this app.',
};

export const left = (open: string, cookie: string): AnsweredRefusal => ({
  status: 401,
  code: 'SESSION_LEFT',
  title: 'You are signed out here',
  text: 'Open the app in Carillon again, with the account that you want to use.',
  open,
  forget: { cookie },
});

export const disabled: AnsweredRefusal = {
  status: 403,
  code: 'CONNECTOR_DISABLED',
  title: 'This app is switched off',
  text: 'Its owner has disabled access to it in Carillon.',
};

/** Nobody is let in on what was known before. */
export const carillonAway = (awaySeconds: number): AnsweredRefusal => ({
  status: 503,
  code: 'CARILLON_UNAVAILABLE',
  title: 'Carillon cannot be asked',
  text:
    awaySeconds < 1
      ? 'Whether you may use this app cannot be checked at the moment. It opens again when Carillon answers.'
      : `Whether you may use this app cannot be checked: Carillon has not answered for ${awaySeconds} seconds. It opens again when it does.`,
  retryAfterSeconds: 5,
});

/** What may be asked of Carillon at this moment has been asked. */
export const busy = (retryAfterSeconds: number): AnsweredRefusal => ({
  status: 503,
  code: 'GATEWAY_BUSY',
  title: 'Too many at once',
  text: 'Whether you may use this app cannot be checked at the moment, since too many ask. Try again soon.',
  retryAfterSeconds,
});

export const notWelcome: AnsweredRefusal = {
  status: 503,
  code: 'GATEWAY_REFUSED',
  title: 'This gateway is not set up',
  text: 'Carillon rejects the credentials of this gateway. Its log has the reason for its owner.',
  retryAfterSeconds: 30,
};

export const tooManyOpen = (limit: number): AnsweredRefusal => ({
  status: 429,
  code: 'TOO_MANY_OPEN',
  title: 'Too much at once',
  text: `One session may have ${limit} requests open.`,
  retryAfterSeconds: 1,
});

export const appDown: AnsweredRefusal = {
  status: 502,
  code: 'APP_UNAVAILABLE',
  title: 'The app does not answer',
  text: 'Carillon let you in, but the app behind this address cannot be reached or does not answer as it should.',
};

export const appSlow: AnsweredRefusal = {
  status: 504,
  code: 'APP_TIMEOUT',
  title: 'The app takes too long',
  text: 'Carillon let you in, but the app behind this address has not answered in time.',
};

export const bodyStalled: AnsweredRefusal = {
  status: 408,
  code: 'REQUEST_TIMEOUT',
  title: 'The request did not end',
  text: 'Its body stopped coming.',
};

export const bodyTooLarge: AnsweredRefusal = {
  status: 413,
  code: 'PAYLOAD_TOO_LARGE',
  title: 'The request is too large',
  text: 'Its body is larger than this address takes.',
};

export const codingUnknown: AnsweredRefusal = {
  status: 501,
  code: 'CODING_NOT_SUPPORTED',
  title: 'Not in this way',
  text: 'A body may be sent chunked, with no other transfer coding.',
};

export const upgradeUnknown: AnsweredRefusal = {
  status: 400,
  code: 'UPGRADE_NOT_SUPPORTED',
  title: 'Not in this way',
  text: 'A connection can be upgraded to a WebSocket only.',
};

export const callbackInvalid: AnsweredRefusal = {
  status: 403,
  code: 'CALLBACK_INVALID',
  title: 'This callback is not taken',
  text: 'It is not one that Carillon has sent here and that has not been taken yet.',
};
