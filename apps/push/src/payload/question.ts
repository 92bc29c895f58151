import type { InteractionAsked } from '@carillon/contracts';

/** A button: the answer that a press sends, and its label. */
export interface Action {
  readonly id: string;
  readonly label: string;
}

/** The part of a prompt's or page's push that lets the person answer from the notification. */
export interface Question {
  /** The notification category that the app has registered for this kind; a reply can be typed. */
  readonly category: 'CARILLON_APPROVAL' | 'CARILLON_YES_NO' | 'CARILLON_REPLY' | 'CARILLON_PAGE';
  /** A choice of a reply is a plain string: its label is the answer. */
  readonly actions: readonly (Action | string)[];
  /** The digest of what the person saw; the app returns it with the answer. Null for a page, which has no answer. */
  readonly actionDigest: string | null;
}

/** The actions that a page's notification offers. */
export const pageChoice: Question = {
  category: 'CARILLON_PAGE',
  actions: [
    { id: 'acknowledge', label: 'Acknowledge' },
    { id: 'escalate', label: 'Escalate' },
  ],
  actionDigest: null,
};

/** A null text is unreadable because its key was deleted. */
export function questionOf(
  asked: Pick<InteractionAsked, 'actionDigest' | 'choices' | 'kind' | 'primaryLabel' | 'secondaryLabel'>,
): Question {
  const { actionDigest, choices, kind, primaryLabel, secondaryLabel } = asked;
  switch (kind) {
    case 'approval':
      return {
        category: 'CARILLON_APPROVAL',
        actions: [
          { id: 'approved', label: primaryLabel ?? 'Approve' },
          { id: 'denied', label: secondaryLabel ?? 'Deny' },
        ],
        actionDigest,
      };
    case 'yes_no':
      return {
        category: 'CARILLON_YES_NO',
        actions: [
          { id: 'yes', label: primaryLabel ?? 'Yes' },
          { id: 'no', label: secondaryLabel ?? 'No' },
        ],
        actionDigest,
      };
    case 'reply':
      return { category: 'CARILLON_REPLY', actions: choices ?? [], actionDigest };
  }
}
