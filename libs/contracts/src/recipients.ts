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

/** Names them again in what follows from it, where there are any. */
export const recipientsOf = ({
  recipients = [],
}: Pick<WithRecipients, 'recipients'>): Pick<WithRecipients, 'recipients'> =>
  recipients.length > 0 ? { recipients } : {};
