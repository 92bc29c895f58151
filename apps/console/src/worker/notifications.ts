import { failureOf, type Kept, requestOf, type Shown, shownOf } from './message';

/** What a notification may have in a worker, which the types of the page do not know. */
interface Options extends NotificationOptions {
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
}

/** Shows something for every push, also for one that cannot be read. */
export async function show(self: ServiceWorkerGlobalScope, data: PushMessageData | null): Promise<void> {
  const shown = shownOf(data?.text(), self.location.origin);
  await display(self, shown);
  if (shown.tag !== undefined) await report(self, shown.tag);
}

/** Tells the open pages of the console what was shown, of which one may wait for it. */
async function report(self: ServiceWorkerGlobalScope, tag: string): Promise<void> {
  for (const page of await self.clients.matchAll({ type: 'window', includeUncontrolled: true }))
    page.postMessage({ received: tag });
}

function display(
  self: ServiceWorkerGlobalScope,
  { title, body, tag, silent, actions, kept }: Shown,
): Promise<void> {
  const most = (Notification as { maxActions?: number }).maxActions ?? 0;
  const options: Options = {
    body,
    silent,
    ...(tag !== undefined && { tag }),
    data: kept,
    icon: '/console/icon-192.png',
    actions: actions.slice(0, most),
  };
  return self.registration.showNotification(title, options);
}

/** Does what the pressed button says, or opens what the notification stands for. */
export async function pressed(
  self: ServiceWorkerGlobalScope,
  notification: Notification,
  action: string,
): Promise<void> {
  const kept = (notification.data ?? { path: '/console/' }) as Kept;
  const request = action === '' ? undefined : requestOf(action, kept);
  if (!request) {
    notification.close();
    return open(self, kept.path);
  }
  const failure = await answered(request);
  // Not before: what is gone from the screen counts as answered.
  notification.close();
  if (failure === undefined) return;
  const { title, tag } = notification;
  await display(self, { title, tag, body: failure, silent: false, actions: [], kept: { path: kept.path } });
}

const longestAnswerMs = 15_000;

/** Undefined when the server has taken it. */
async function answered({ path, body }: { path: string; body: object }): Promise<string | undefined> {
  try {
    const response = await fetch(`/api/session${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // Before the browser ends the worker, which then could say nothing.
      signal: AbortSignal.timeout(longestAnswerMs),
    });
    if (response.ok) return undefined;
    const { code } = (await response.json().catch(() => ({}))) as { code?: string };
    return failureOf(response.status, code);
  } catch {
    return failureOf(undefined, undefined);
  }
}

async function open(self: ServiceWorkerGlobalScope, path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const [first] = windows.filter(({ url }) => new URL(url).pathname.startsWith('/console'));
  if (!first) return void (await self.clients.openWindow(path));
  await first.focus().catch(() => {});
  // The page goes there by itself, so that nothing that is being written is lost without a question.
  if (!(await isTaken(first, path))) await self.clients.openWindow(path);
}

/** Whether the page has said that it took the path; one that still loads does not listen. */
function isTaken(client: WindowClient, path: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), 1_000);
    client.postMessage({ open: path }, [port2]);
  });
}
