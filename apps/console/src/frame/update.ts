import { signal } from '@preact/signals';
import { trusted, workerUrl } from './trusted';

/** A newer version of the console waits until this one is left. */
export const newVersion = signal<ServiceWorker | undefined>(undefined);

const betweenLooksMs = 30 * 60_000;

/** Registers the worker, which keeps the shell for a start without network, and looks for newer versions. */
export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register(trusted.createScriptURL(workerUrl), {
    scope: '/console/',
    updateViaCache: 'none',
  });
  const waits = (): void => {
    if (registration.waiting && navigator.serviceWorker.controller) newVersion.value = registration.waiting;
  };
  waits();
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', waits);
  });
  setInterval(() => void registration.update().catch(() => {}), betweenLooksMs);
}

/** Goes on in the newer version. */
export function takeNewVersion(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  newVersion.peek()?.postMessage('take over');
}

/** Whether a form holds something that was not sent. */
const isWriting = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('form input, form textarea')].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );

/** Calls the listener when somebody has pressed a notification and this page is there to show it. */
export function onOpened(listener: (path: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => {};
  const take = ({ data, ports }: MessageEvent<{ open?: string }>): void => {
    if (typeof data.open !== 'string') return;
    ports[0]?.postMessage('taken');
    if (!isWriting() || confirm('Leave this page? What you have written is lost.')) listener(data.open);
  };
  navigator.serviceWorker.addEventListener('message', take);
  return () => navigator.serviceWorker.removeEventListener('message', take);
}
