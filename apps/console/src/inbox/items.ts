import { computed, signal } from '@preact/signals';
import { api, onSignedOut } from '../api/api';
import { pageSize } from '../early/early';
import { onTold, type Told } from '../stream/stream';
import {
  type AskedPrompt,
  fromNotification,
  fromPage,
  fromPrompt,
  merged,
  type Notification,
  type OncallPage,
  withHead,
} from './entry';

export interface Filters {
  readonly projectId?: string;
  readonly isOpen: boolean;
  readonly q: string;
}

interface ItemsOf<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

const none: ItemsOf<never> = { items: [], cursor: null };

export const filters = signal<Filters>({ isOpen: false, q: '' });
const notifications = signal<ItemsOf<Notification>>(none);
const prompts = signal<ItemsOf<AskedPrompt>>(none);
const pages = signal<ItemsOf<OncallPage>>(none);
export const isLoaded = signal(false);
export const isLoading = signal(false);
export const error = signal<unknown>(undefined);
/** Of the newest page that was loaded: up to there all can be marked as read. */
const readThroughToken = signal<string | undefined>(undefined);

const list = computed(() =>
  merged([
    {
      entries: notifications.value.items.map(fromNotification),
      isWhole: notifications.value.cursor === null,
    },
    { entries: prompts.value.items.map(fromPrompt), isWhole: prompts.value.cursor === null },
    { entries: pages.value.items.map(fromPage), isWhole: true },
  ]),
);
export const entries = computed(() => list.value.entries);

let generation = 0;
/** Whether a change was told while everything was being read: what was read may lack it. */
let isOutdated = false;

const notificationPage = (cursor?: string) => {
  const { projectId, isOpen, q } = filters.peek();
  const query = {
    limit: pageSize,
    ...(projectId !== undefined && { projectId }),
    ...(isOpen && { unread: true }),
    ...(q && { q }),
    ...(cursor !== undefined && { cursor }),
  };
  return api.get('/inbox/notifications', { params: { query } });
};

/** Search finds notifications only. */
const promptPage = async (cursor?: string) => {
  const { projectId, isOpen, q } = filters.peek();
  if (q) return { interactions: [], nextCursor: null };
  const query = {
    limit: pageSize,
    ...(projectId !== undefined && { projectId }),
    ...(isOpen && { pending: true }),
    ...(cursor !== undefined && { cursor }),
  };
  return api.get('/prompts', { params: { query } });
};

const ownPages = async () => {
  const { projectId, q } = filters.peek();
  return q || projectId !== undefined ? [] : (await api.get('/oncall/me')).pages;
};

/** Reads everything from the start. What is shown stays until the answers are there. */
export async function load(): Promise<void> {
  const mine = (generation += 1);
  isLoading.value = true;
  isOutdated = false;
  try {
    const [first, asked, paged] = await Promise.all([notificationPage(), promptPage(), ownPages()]);
    if (mine !== generation) return;
    notifications.value = { items: first.items, cursor: first.nextCursor };
    prompts.value = { items: asked.interactions, cursor: asked.nextCursor };
    pages.value = { items: paged, cursor: null };
    readThroughToken.value = first.readThroughToken;
    error.value = undefined;
    isLoaded.value = true;
  } catch (thrown) {
    if (mine === generation) error.value = thrown;
  } finally {
    if (mine === generation) {
      isLoading.value = false;
      if (isOutdated && isLoaded.peek()) void load();
      else if (isMoreWanted) void more();
    }
  }
}

const soonMs = 250;
let isFresh = false;

/**
 * Loads before anything is drawn, since drawing that it loads takes as long as it does, but waits no longer than one
 * would like to look at nothing. Call what it returns once the list is drawn, which `show`s it.
 */
export async function loadFirst(): Promise<() => void> {
  const stop = keepCurrent();
  await Promise.race([load(), new Promise((resolve) => setTimeout(resolve, soonMs))]);
  isFresh = isLoaded.peek();
  return () => {
    isFresh = false;
    stop();
  };
}

/** Loads for whoever begins to show the list, unless it was loaded for that. */
export function show(): void {
  if (!isFresh && !isLoading.peek()) void load();
}

export function filter(change: Partial<Filters>): void {
  filters.value = { ...filters.peek(), ...change };
  isLoaded.value = false;
  void load();
}

let moreUnderWay = false;
let isMoreWanted = false;

/** Loads the next page of the list that ends first. */
export async function more(): Promise<void> {
  const { next } = list.peek();
  if (next === undefined || moreUnderWay || !isLoaded.peek()) return;
  // What follows a list that is being replaced would not follow the new one.
  isMoreWanted = isLoading.peek();
  if (isMoreWanted) return;
  const mine = generation;
  moreUnderWay = true;
  try {
    if (next === 0) {
      const page = await notificationPage(notifications.peek().cursor ?? undefined);
      if (mine === generation)
        notifications.value = {
          items: [...notifications.peek().items, ...page.items],
          cursor: page.nextCursor,
        };
    } else {
      const page = await promptPage(prompts.peek().cursor ?? undefined);
      if (mine === generation) {
        const { items } = prompts.peek();
        const isNew = ({ id }: AskedPrompt): boolean => !items.some((each) => each.id === id);
        prompts.value = { items: [...items, ...page.interactions.filter(isNew)], cursor: page.nextCursor };
      }
    }
  } catch (thrown) {
    if (mine === generation) error.value = thrown;
  } finally {
    moreUnderWay = false;
    // The list was replaced meanwhile, and its length may be the same: nobody asks again.
    if (mine !== generation) void more();
  }
}

/** Reads the newest page again, and everything where it does not meet what is loaded. */
async function loadHead(): Promise<void> {
  const mine = generation;
  const page = await notificationPage();
  if (mine !== generation) return;
  const items = withHead(notifications.peek().items, page.items);
  if (!items) return load();
  notifications.value = {
    items,
    cursor: notifications.peek().items.length > 0 ? notifications.peek().cursor : page.nextCursor,
  };
  readThroughToken.value = page.readThroughToken;
}

/** Of each prompt, which read is the newest: an answer that comes late says what it was. */
const promptReads = new Map<string, symbol>();

async function loadPrompt(id: string): Promise<void> {
  const mine = generation;
  const read = Symbol(id);
  promptReads.set(id, read);
  const { interaction } = await api.get('/prompts/{id}', { params: { path: { id } } });
  if (promptReads.get(id) !== read) return;
  promptReads.delete(id);
  if (mine !== generation) return;
  const { items, cursor } = prompts.peek();
  if (items.some((each) => each.id === id)) {
    prompts.value = { items: items.map((each) => (each.id === id ? interaction : each)), cursor };
    return;
  }
  const { projectId, isOpen } = filters.peek();
  const isWanted =
    (projectId === undefined || interaction.projectId === projectId) &&
    (!isOpen || interaction.status === 'pending');
  const oldest = items.at(-1)?.createdAt;
  const isLoadedLater = cursor !== null && oldest !== undefined && interaction.createdAt < oldest;
  if (!isWanted || isLoadedLater) return;
  const sorted = [interaction, ...items].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  prompts.value = { items: sorted, cursor };
}

/** A mark that the server has confirmed or told. */
function mark(id: string, readAt: string | null): void {
  const { items, cursor } = notifications.peek();
  notifications.value = { items: items.map((each) => (each.id === id ? { ...each, readAt } : each)), cursor };
}

export async function markRead(id: string, isRead: boolean): Promise<void> {
  const path = isRead ? '/inbox/notifications/{id}/read' : '/inbox/notifications/{id}/unread';
  const { readAt } = await api.post(path, { params: { path: { id } } });
  mark(id, readAt);
}

export async function markAllRead(): Promise<void> {
  const token = readThroughToken.peek();
  if (token === undefined) return;
  await api.post('/inbox/notifications/read-all', { body: { readThroughToken: token } });
  await load();
}

/** Once at a time; what is asked for meanwhile happens once more after it. */
function coalesced(work: () => Promise<void>): () => void {
  let state: 'idle' | 'running' | 'again' = 'idle';
  const run = async (): Promise<void> => {
    state = 'running';
    await work().catch((thrown: unknown) => (error.value = thrown));
    if ((state as string) === 'again') return run();
    state = 'idle';
  };
  return () => {
    if (state === 'idle') void run();
    else state = 'again';
  };
}

const headSoon = coalesced(loadHead);
const allSoon = coalesced(load);

async function take({ topic, kind, itemId, promptId }: Told): Promise<void> {
  if (isLoading.peek()) isOutdated = true;
  if (isLoading.peek() || !isLoaded.peek()) return;
  if (topic === 'reset' || (topic === 'inbox' && kind === 'all_read')) return allSoon();
  if (topic === 'inbox' && (kind === 'created' || kind === 'updated')) return headSoon();
  if (topic === 'inbox' && itemId) {
    const { readAt } = await api.get('/inbox/notifications/{id}', { params: { path: { id: itemId } } });
    return mark(itemId, readAt);
  }
  if (topic === 'prompts' && promptId && !filters.peek().q) return loadPrompt(promptId);
  if (topic === 'pages') pages.value = { items: await ownPages(), cursor: null };
}

// Whoever signs in next on this page sees nothing of what was there before.
onSignedOut(() => {
  generation += 1;
  for (const each of [notifications, prompts, pages]) each.value = none;
  filters.value = { isOpen: false, q: '' };
  readThroughToken.value = undefined;
  error.value = undefined;
  isLoaded.value = false;
  isLoading.value = false;
});

/** Keeps what is loaded as the server has it. */
export const keepCurrent = (): (() => void) =>
  onTold((told) => {
    // Where one read fails, the next change or the next look brings it.
    void take(told).catch(() => allSoon());
  });
