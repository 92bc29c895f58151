import type { SessionSchemas } from '@carillon/client';

type Schemas = SessionSchemas['schemas'];
export type Notification = Schemas['InboxNotificationSummary'];
export type AskedPrompt = Schemas['SessionInteraction'];
export type OncallPage = Schemas['OncallPage'];

/** A row of the inbox, whatever it stands for. */
export interface Entry {
  readonly key: string;
  readonly kind: 'notification' | 'prompt' | 'page';
  readonly href: string;
  readonly source: string;
  readonly title: string;
  readonly preview: string;
  readonly at: string;
  /** Unread, unanswered or unresolved. */
  readonly isOpen: boolean;
  /** Its state in a word, where it has one. */
  readonly state?: string;
}

export const fromNotification = (item: Notification): Entry => ({
  key: item.id,
  kind: 'notification',
  href: `/console/notifications/${item.id}`,
  source: item.projectName ?? item.sourceName,
  title: item.title,
  preview: item.preview,
  at: item.createdAt,
  isOpen: item.readAt === null,
});

const promptStates: Readonly<Record<AskedPrompt['status'], string>> = {
  pending: 'waiting for you',
  approved: 'approved',
  denied: 'denied',
  yes: 'yes',
  no: 'no',
  replied: 'answered',
  canceled: 'canceled',
  expired: 'expired',
};

export const fromPrompt = (item: AskedPrompt): Entry => ({
  key: item.id,
  kind: 'prompt',
  href: `/console/prompts/${item.id}`,
  source: item.sourceName,
  title: item.title,
  preview: item.prompt,
  at: item.createdAt,
  isOpen: item.status === 'pending',
  state: promptStates[item.status],
});

export const fromPage = (item: OncallPage): Entry => ({
  key: item.id,
  kind: 'page',
  href: `/console/pages/${item.id}`,
  source: item.groupName,
  title: item.title,
  preview: item.body ?? '',
  at: item.createdAt,
  isOpen: item.status !== 'resolved',
  state: item.status,
});

/** Entries that were loaded from one list of the API, newest first. */
export interface Source {
  readonly entries: readonly Entry[];
  /** Nothing older is left to load. */
  readonly isWhole: boolean;
}

export interface Merged {
  readonly entries: readonly Entry[];
  /** The source whose next page brings older entries; undefined where all is loaded. */
  readonly next: number | undefined;
}

/**
 * One list of several sources, newest first. It ends where a source that has more has been loaded to: an older entry of
 * another source would otherwise move when that one is loaded on.
 */
export function merged(sources: readonly Source[]): Merged {
  let next: number | undefined;
  let horizon = '';
  sources.forEach(({ entries, isWhole }, index) => {
    const end = entries.at(-1)?.at ?? '';
    if (isWhole || (next !== undefined && end <= horizon)) return;
    next = index;
    horizon = end;
  });
  const entries = sources
    .flatMap((source) => source.entries)
    .filter(({ at }) => at >= horizon)
    .sort((a, b) => (a.at === b.at ? compare(a.key, b.key) : compare(b.at, a.at)));
  return { entries, next };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Puts a newer first page before what is loaded; undefined where they do not meet, so that entries are missing. */
export function withHead<Item extends { readonly id: string }>(
  loaded: readonly Item[],
  head: readonly Item[],
): readonly Item[] | undefined {
  const known = new Set(loaded.map(({ id }) => id));
  if (loaded.length > 0 && !head.some(({ id }) => known.has(id))) return undefined;
  const fresh = new Set(head.map(({ id }) => id));
  return [...head, ...loaded.filter(({ id }) => !fresh.has(id))];
}
