import type { RouteDocs } from './document';

/** The phones and browsers of the account, and when they ring. */
export const deviceDocs: Readonly<Record<string, RouteDocs>> = {
  'POST /devices': {
    operationId: 'registerDevice',
    tag: 'Devices',
    summary: 'Register the phone or the browser',
    description:
      'The same account and `installId` update the same device (200); else a new one is made (201). A phone needs the ' +
      'session of its app. From then on the session belongs to this install, and only it changes the device’s tokens ' +
      'and reports for it. An install that comes with another session ends the one that it had; so does removing the ' +
      'device. A browser (`platform: web`) registers its push subscription with whatever session the person has, which ' +
      'removing the device does not end. An endpoint that another device holds moves here. The endpoint must be one ' +
      'that may be called from here: a public address, or one that the operator allows.',
    success: 'The device was known and is updated.',
  },
  'GET /push/key': {
    operationId: 'getPushKey',
    tag: 'Devices',
    summary: 'Read the key that browsers subscribe with',
    description:
      'The `applicationServerKey` of `pushManager.subscribe`. It can change: a page whose subscription has another key ' +
      'subscribes and registers again. Where Web Push is off, `key` is null and `reason` says why.',
    success: 'The key, or why there is none.',
  },
  'PUT /devices/:id/tokens': {
    operationId: 'changeDeviceTokens',
    tag: 'Devices',
    summary: 'Change the push tokens of a phone',
    description: 'A push token that another device holds moves here.',
    success: 'The device as it is now.',
  },
  'POST /devices/:deviceId/activities/:activityId/token': {
    operationId: 'registerActivityToken',
    tag: 'Devices',
    summary: 'Tell where an activity takes updates',
    description:
      'iOS gives each live activity a token of its own when it begins, and another one now and then. What waits for it ' +
      'is sent in its order; a new one is told the newest state.',
  },
  'POST /devices/:id/receipts': {
    operationId: 'reportReceipts',
    tag: 'Devices',
    summary: 'Tell what the phone has received',
    description: 'The only proof that a phone got something.',
  },
  'POST /devices/:id/test': {
    operationId: 'testDevice',
    tag: 'Devices',
    summary: 'Ring a device',
    description:
      'Sends a notification to this device of the account alone, which must be active; quiet hours do not hold it back. ' +
      'It counts as a send. `accepted` is 1 once the push provider has taken it, and 0 while it has not; whether the ' +
      'device rang, only the device knows.',
    success: 'The notification, which is in the inbox too.',
  },
  'GET /quiet-hours': {
    operationId: 'getQuietHours',
    tag: 'Devices',
    summary: 'Read quiet hours',
    description: 'When notifications wait in the inbox without ringing.',
    success: 'Those of the account and of single devices.',
  },
  'PUT /quiet-hours': {
    operationId: 'setQuietHours',
    tag: 'Devices',
    summary: 'Set quiet hours',
    description:
      'Of one device, or of all that have none of their own. While they run, notifications and prompts are in the inbox ' +
      'alone; pages and urgent prompts ring.',
    success: 'All quiet hours as they are now.',
  },
};
