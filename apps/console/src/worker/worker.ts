import { pressed, show } from './notifications';
import { keepShell, serveShell, takeOver } from './shell';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => event.waitUntil(keepShell()));
self.addEventListener('activate', (event) => event.waitUntil(takeOver(self)));
self.addEventListener('fetch', (event) => serveShell(event));
self.addEventListener('push', (event) => event.waitUntil(show(self, event.data)));
self.addEventListener('notificationclick', (event) =>
  event.waitUntil(pressed(self, event.notification, event.action)),
);
self.addEventListener('message', ({ data }) => {
  if (data === 'take over') void self.skipWaiting();
});
