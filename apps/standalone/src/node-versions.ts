/** The newest Node that it was tried with; `processes.e2e.spec.ts` runs on it. */
export const newestTried = '26.10.0';

/** What a start says of the Node that runs it. */
export const nodeIs = (version: string): string =>
  version === newestTried
    ? `${version}, the newest that it was tried with`
    : `${version}; ${newestTried} is the newest that it was tried with, and recommended`;
