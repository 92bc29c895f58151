/** An object that other accounts besides its owner have as their own. */
export interface WithRecipients {
  readonly accountId: string;
  /**
   * The accounts besides `accountId` that have the object as their own: in their inbox with their own read mark, in
   * their feed, on their screens. Fixed at the time of sending; absent if there are none.
   */
  readonly recipients?: readonly string[];
  /**
   * Of all these accounts, those whose rows a projection writes now: another replica writes the rest (ADR 67). Never in
   * the log; absent when it writes those of all.
   */
  readonly readers?: readonly string[];
}

/** All accounts that have the object as their own, its owner first; for an event in a projection, its readers. */
export const ownersOf = ({ accountId, recipients = [], readers }: WithRecipients): readonly string[] =>
  readers ?? [accountId, ...recipients];

/** A copy of an object for one account. */
export interface Copy {
  readonly accountId: string;
  /** The owner of the object, if that is another account. */
  readonly senderId: string | null;
}

/** One copy for each account, in order. The rows of copies name the account whose text they contain. */
export const copiesOf = (of: WithRecipients): readonly Copy[] =>
  ownersOf(of).map((accountId) => ({
    accountId,
    senderId: accountId === of.accountId ? null : of.accountId,
  }));

/** The recipients, if any, to repeat in events that follow. */
export const recipientsOf = ({
  recipients = [],
}: Pick<WithRecipients, 'recipients'>): Pick<WithRecipients, 'recipients'> =>
  recipients.length > 0 ? { recipients } : {};
