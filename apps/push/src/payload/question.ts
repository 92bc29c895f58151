import type { InteractionAsked } from '@carillon/contracts';

/** A button: what a press answers, and what the button says. */
export interface Action {
  readonly id: string;
  readonly label: string;
}

/** What the push of a prompt or a page carries beside its text, so that the person can answer on the spot. */
export interface Question {
  /** The app has registered under this name what a notification of the kind offers; a reply can be typed. */
  readonly category: 'CARILLON_APPROVAL' | 'CARILLON_YES_NO' | 'CARILLON_REPLY' | 'CARILLON_PAGE';
  /** A choice of a reply is a plain text: it answers what it says. */
  readonly actions: readonly (Action | string)[];
  /** Fixes what the person saw; the app sends it back with the answer. Null for a page, which is not answered. */
  readonly actionDigest: string | null;
}

/** What can be done with a page on the spot. */
export const pageChoice: Question = {
  category: 'CARILLON_PAGE',
  actions: [
    { id: 'acknowledge', label: 'Acknowledge' },
    { id: 'escalate', label: 'Escalate' },
  ],
  actionDigest: null,
};

/** Text that is null has lost its key. */
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
