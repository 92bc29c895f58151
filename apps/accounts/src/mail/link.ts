import type { MailLinkEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isBefore, plus, Refused } from '@carillon/eventing';
import { isSameText } from '@carillon/signing';
import { createHmac } from 'node:crypto';

/** Null before the link is requested. */
export type LinkState = Link | null;

export interface Link {
  readonly linkId: string;
  readonly accountId: string;
  readonly purpose: 'sign_in' | 'verification';
  readonly emailKey: string;
  readonly expiresAt: Instant;
  readonly used: boolean;
}

export const mailLink: Decider<LinkState, MailLinkEvent> = {
  category: 'mail_link',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'MailLinkRequested': {
        const { type: _type, requestedAt: _requestedAt, ...link } = event;
        return { ...link, used: false };
      }
      case 'MailLinkUsed':
        return state && { ...state, used: true };
    }
  },
  personal: { MailLinkRequested: [], MailLinkUsed: [] },
};

const goodForMs = 30 * 60_000;

export interface LinkRequest {
  readonly linkId: string;
  readonly accountId: string;
  readonly purpose: Link['purpose'];
  readonly emailKey: string;
  readonly at: Instant;
}

export const requestLink: Decision<LinkState, MailLinkEvent, LinkRequest> =
  ({ at, ...link }) =>
  (state) =>
    state ? [] : [{ type: 'MailLinkRequested', ...link, requestedAt: at, expiresAt: plus(at, goodForMs) }];

/** Uses the link up. Refused `mail.link_invalid` when it was used before, also by a request at the same moment. */
export const useLink: Decision<LinkState, MailLinkEvent, LinkUse> =
  ({ purpose, at }) =>
  (state) => {
    const { linkId, accountId } = insistOnGood(state, { purpose, at });
    return [{ type: 'MailLinkUsed', linkId, accountId, usedAt: at }];
  };

export interface LinkUse {
  readonly purpose: Link['purpose'];
  readonly at: Instant;
}

/** The link, if it can still be used. Refused `mail.link_invalid`. */
export function insistOnGood(state: LinkState, { purpose, at }: LinkUse): Link {
  if (!state || state.purpose !== purpose || state.used || !isBefore(at, state.expiresAt))
    throw new Refused('mail.link_invalid');
  return state;
}

const tailLength = 16;
const form = /^[0-9a-z]{16}[A-Za-z0-9_-]{32}$/;

/** The secret part of a link: the tail of its id, and a keyed hash of it. So it is stored nowhere. */
export const tokenOf = (pepper: Buffer, tail: string): string => tail + proofOf(pepper, tail);

/** The tail of the id that a token names; undefined when the token was not made here. */
export function tailIn(pepper: Buffer, token: string): string | undefined {
  if (!form.test(token)) return undefined;
  const tail = token.slice(0, tailLength);
  return isSameText(token.slice(tailLength), proofOf(pepper, tail)) ? tail : undefined;
}

const proofOf = (pepper: Buffer, tail: string): string =>
  createHmac('sha256', pepper).update(`mail link ${tail}`).digest().subarray(0, 24).toString('base64url');
