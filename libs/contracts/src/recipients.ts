/** What more accounts than the one that it belongs to have as their own. */
export interface WithRecipients {
  readonly accountId: string;
  /**
   * The accounts beside `accountId` that have it as their own: in their inbox with a read mark of theirs, in their feed,
   * on their screens. Fixed when it was sent; absent when there is none.
   */
  readonly recipients?: readonly string[];
}

/** All accounts that have it as their own, the one that it belongs to first. */
export const ownersOf = ({ accountId, recipients = [] }: WithRecipients): readonly string[] => [
  accountId,
  ...recipients,
];

/** A copy of something that an account has as its own. */
export interface Copy {
  readonly accountId: string;
  /** The account that it belongs to, where that is another. */
  readonly senderId: string | null;
}

/** One for each of its owners, in their order: rows that say whose text they hold. */
export const copiesOf = (of: WithRecipients): readonly Copy[] =>
  ownersOf(of).map((accountId) => ({
    accountId,
    senderId: accountId === of.accountId ? null : of.accountId,
  }));

/** Names them again in what follows from it, where there are any. */
export const recipientsOf = ({
  recipients = [],
}: Pick<WithRecipients, 'recipients'>): Pick<WithRecipients, 'recipients'> =>
  recipients.length > 0 ? { recipients } : {};
