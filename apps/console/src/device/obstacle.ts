/** What a browser can do, as far as it says so. */
export interface Abilities {
  readonly isSecure: boolean;
  readonly hasWorker: boolean;
  readonly hasPush: boolean;
  readonly hasNotifications: boolean;
  readonly isApplePhone: boolean;
  readonly isOnHomeScreen: boolean;
  readonly permission: NotificationPermission | undefined;
}

/** Why a browser cannot ring, in words and with what helps; undefined when it can. */
export function obstacleOf(able: Abilities): string | undefined {
  if (!able.isSecure)
    return 'This page was not loaded over HTTPS. Browsers ring only for pages with a certificate.';
  if (able.isApplePhone && !able.isOnHomeScreen)
    return 'On iPhone and iPad only a page on the home screen can ring: press Share, Add to Home Screen, and open it there.';
  if (!able.hasWorker || !able.hasPush || !able.hasNotifications)
    return 'This browser is too old for Web Push, or this is a private window.';
  if (able.permission === 'denied')
    return 'Notifications of this page are blocked. Allow them in the settings of the browser for this page, then load it again.';
  return undefined;
}

/** Why the browser did not give a subscription. */
export function refusalOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError') return 'Notifications were not allowed.';
  if (name === 'AbortError')
    return 'The push service of this browser cannot be reached. In a private window there is none.';
  return 'The browser did not subscribe. In a private window it does not.';
}

/** What `Notification` and its neighbours say here. */
export const abilities = (): Abilities => ({
  isSecure: isSecureContext,
  hasWorker: 'serviceWorker' in navigator,
  hasPush: 'PushManager' in globalThis,
  hasNotifications: 'Notification' in globalThis,
  isApplePhone: /iP(hone|ad|od)/.test(navigator.userAgent),
  isOnHomeScreen: matchMedia('(display-mode: standalone)').matches,
  permission: 'Notification' in globalThis ? Notification.permission : undefined,
});
