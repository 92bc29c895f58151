import { ApiError, ConnectionError } from '@carillon/client';

/** What a script may tell outcomes apart by (docs/cli.md). */
export const exits = {
  done: 0,
  refused: 1,
  usage: 2,
  notSignedIn: 3,
  noAnswer: 4,
  denied: 5,
  noConnection: 6,
  nothingAccepted: 7,
} as const;
export type Exit = (typeof exits)[keyof typeof exits];

/** The end of a command, with its words for stderr. */
export class Ended extends Error {
  constructor(
    readonly exit: Exit,
    message: string,
  ) {
    super(message);
  }
}

/** The code and the words of what a command has thrown; null for an error of this program itself. */
export function endOf(error: unknown): { readonly exit: Exit; readonly words: string } | null {
  if (error instanceof Ended) return { exit: error.exit, words: error.message };
  if (error instanceof ConnectionError) return { exit: exits.noConnection, words: error.message };
  if (!(error instanceof ApiError)) return null;
  const { status, code, message, issues, requestId } = error;
  const lines = issues.map((issue) => `  ${issue.path}: ${issue.message}`);
  const request = requestId === undefined ? '' : `, request ${requestId}`;
  return {
    exit: status === 401 ? exits.notSignedIn : exits.refused,
    words: [`${message} (${code}${request})`, ...lines].join('\n'),
  };
}

/** The words of whatever was thrown, for whoever is not helped by a stack. */
export const wordsOf = (error: unknown): string =>
  endOf(error)?.words ?? (error instanceof Error ? error.message : String(error));
