/** Set by the build: another one for each version. */
declare const CONSOLE_BUILD: string;

const cacheName = `shell-${CONSOLE_BUILD}`;
const start = '/console/';

/** Keeps the document and what it names: no answer of the API, and nothing of an account. */
export async function keepShell(): Promise<void> {
  const response = await fetch(start, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`The console was answered ${response.status}`);
  const named = [...(await response.clone().text()).matchAll(/"(\/console\/assets\/[^"]+)"/g)];
  const cache = await caches.open(cacheName);
  await cache.addAll(named.map(([, file = '']) => file));
  await cache.put(start, response);
}

/** Takes the open pages of a first install, and forgets the shells of former versions. */
export async function takeOver(self: ServiceWorkerGlobalScope): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** Gives a page from the network, or without it the kept shell, and files of the shell as they were kept. */
export function serveShell(event: FetchEvent): void {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate' && pathname.startsWith(start)) event.respondWith(page(request));
  else if (pathname.startsWith(`${start}assets/`)) event.respondWith(file(request));
}

async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(cacheName)).match(start);
    if (kept) return kept;
    throw error;
  }
}

const file = async (request: Request): Promise<Response> =>
  (await (await caches.open(cacheName)).match(request)) ?? fetch(request);
