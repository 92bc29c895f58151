import { isOfBrowser } from './subscription';

it.each([
  ['https://fcm.googleapis.com/fcm/send/a', true],
  ['https://updates.push.services.mozilla.com/wpush/v2/a', true],
  ['https://wns2-par02p.notify.windows.com/w/?token=a', true],
  ['https://web.push.apple.com/a', true],
  ['https://push.example.test/a', false],
  ['https://fcm.googleapis.com.example.test/a', false],
  ['https://notpush.apple.com/a', false],
])('the endpoint %s is of a browser’s push service: %s', (endpoint, expected) =>
  expect(isOfBrowser(`${endpoint} key auth k1`)).toBe(expected),
);
