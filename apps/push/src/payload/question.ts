import type { InteractionAsked } from '@carillon/contracts';

/** A button: what a press answers, and what the button says. */
export interface Action {
  readonly id: string;
  readonly label: string;
}

/** What a prompt's push carries beside its text, so that the person can answer on the spot. */
export interface Question {
  /** The app has registered under this name what a notification of the kind offers; a reply can be typed. */
  readonly category: 'CARILLON_APPROVAL' | 'CARILLON_YES_NO' | 'CARILLON_REPLY';
  /** A choice of a reply is a plain text: it answers what it says. */
  readonly actions: readonly (Action | string)[];
  /** Fixes what the person saw; the app sends it back with the answer. */
  readonly actionDigest: string;
}

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
