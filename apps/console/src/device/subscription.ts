import { api, codeOf } from '../api/api';
import { bytesOf } from '../api/base64url';

const installKey = 'carillon-install';
const deviceKey = 'carillon-device';

/** The id by which the server knows this browser again; no secret. */
function installId(): string {
  const known = localStorage.getItem(installKey);
  if (known) return known;
  const made = crypto.randomUUID();
  localStorage.setItem(installKey, made);
  return made;
}

const isSame = (a: ArrayBuffer | null | undefined, b: Uint8Array): boolean => {
  const bytes = new Uint8Array(a ?? new ArrayBuffer(0));
  return bytes.length === b.length && bytes.every((byte, index) => byte === b[index]);
};

/** A name that a person knows their browser by. */
function nameOf(agent: string): string {
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrom(e|ium)\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : 'Browser';
  const [, system] = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent) ?? [];
  return system ? `${browser} on ${system.replace('Mac OS X', 'Mac')}` : browser;
}

/** Subscribes with the present key of the server and registers this browser as a device. */
async function registerWith(key: string): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const applicationServerKey = bytesOf(key);
  const former = await pushManager.getSubscription();
  // The server's key was changed: what was subscribed with the former one gets nothing any more.
  const isStale = former !== null && !isSame(former.options.applicationServerKey, applicationServerKey);
  if (isStale) await former.unsubscribe();
  const subscription =
    former && !isStale
      ? former
      : await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { device } = await api.post('/devices', {
    body: {
      platform: 'web',
      installId: installId(),
      deviceName: nameOf(navigator.userAgent),
      subscription: { endpoint, keys: { p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' } },
    },
  });
  localStorage.setItem(deviceKey, device.id);
}

/** Asks for the permission first, which a browser grants only after a press. */
export async function ringHere(key: string): Promise<void> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') throw Object.assign(new Error('Not permitted'), { name: 'NotAllowedError' });
  await registerWith(key);
}

/**
 * Registers anew at each start, since browsers hardly ever say that a subscription has changed. A device that was taken
 * away, or that another account had here, stays away.
 */
export async function renewRegistration(): Promise<void> {
  const deviceId = localStorage.getItem(deviceKey);
  if (deviceId === null || !('PushManager' in globalThis) || Notification.permission !== 'granted') return;
  if (!(await isMine(deviceId))) return unsubscribe();
  const { key } = await api.get('/push/key');
  if (key !== null) await registerWith(key);
}

async function isMine(deviceId: string): Promise<boolean> {
  for await (const { devices } of api.pages('/devices', { params: { query: { limit: 100 } } }))
    if (devices.some(({ id }) => id === deviceId)) return true;
  return false;
}

/** Stops the ringing here: at the browser first, so that it is silent whatever becomes of the request. */
export async function silenceHere(): Promise<void> {
  const id = localStorage.getItem(deviceKey);
  if (id === null) return;
  await unsubscribe();
  await api.delete('/devices/{id}', { params: { path: { id } } }).catch((error: unknown) => {
    if (codeOf(error) !== 'NOT_FOUND') throw error;
  });
}

/** Whether the browser has a subscription that may show something. */
export async function rings(): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  return (
    Boolean(subscription) && Notification.permission === 'granted' && localStorage.getItem(deviceKey) !== null
  );
}

/** Whether the device is the browser that shows this page. */
export const isThisBrowser = (deviceId: string): boolean => localStorage.getItem(deviceKey) === deviceId;

/** Calls the listener with the tag of each notification that the worker of this browser has shown. */
export function onShown(listener: (tag: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => {};
  const take = ({ data }: MessageEvent<{ received?: string }>): void => {
    if (typeof data.received === 'string') listener(data.received);
  };
  navigator.serviceWorker.addEventListener('message', take);
  return () => navigator.serviceWorker.removeEventListener('message', take);
}

async function unsubscribe(): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  localStorage.removeItem(deviceKey);
}
