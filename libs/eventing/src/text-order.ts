/** The sort order of ids and other texts: by code units, the same everywhere. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
