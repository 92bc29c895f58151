/** The order of ids and of what else is no moment: by code units, the same everywhere. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
