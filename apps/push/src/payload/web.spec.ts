import { eventReceived, interactionAsked, notificationSent, pageNotified } from '@carillon/testkit';
import fc from 'fast-check';
import { pushOf } from './payload';
import type { Pushed } from './pushed';
import { webAlert, webMessageLimit, webReplacement } from './web';

const consoleUrl = 'https://carillon.example.test/console/';
const deviceId = 'dev_01k0000000e00280000000000';
const shown = (pushed: Pushed) => {
  const message = webAlert(pushOf(pushed)!, consoleUrl);
  return { urgency: message.urgency, ...JSON.parse(message.json(deviceId)) };
};

/** Long texts whose characters take one to six bytes in JSON. */
const text = fc
  .tuple(fc.constantFrom('x', 'é', '🔔', '"', '\u0001', '\ud800'), fc.integer({ min: 1, max: 8_000 }))
  .map(([unit, count]) => unit.repeat(count));

describe('a message to a browser', () => {
  it('of a notification is normal, and leads to the notification', () =>
    expect(shown(notificationSent({ notificationId: 'anot_1', url: 'https://ci.test/1' }))).toEqual({
      urgency: 'normal',
      web_push: 8030,
      notification: {
        title: 'Build finished',
        body: 'main is green',
        navigate: `${consoleUrl}notifications/anot_1`,
        tag: 'anot_1',
        timestamp: expect.any(Number),
        data: {
          kind: 'notification',
          notificationId: 'anot_1',
          url: 'https://ci.test/1',
          expiresAt: expect.any(String),
          deviceId,
        },
      },
    }));

  it('of a prompt is urgent and has what an answer needs', () =>
    expect(shown(interactionAsked({ interactionId: 'int_1', primaryLabel: 'Ship it' }))).toMatchObject({
      urgency: 'high',
      notification: {
        tag: 'int_1',
        requireInteraction: true,
        actions: [{ action: 'approved', title: 'Ship it', navigate: `${consoleUrl}prompts/int_1` }, {}],
        data: { kind: 'prompt', promptId: 'int_1', actionDigest: expect.any(String), deviceId },
      },
    }));

  it('of a page is urgent and can be acknowledged', () => {
    const page = pageNotified({});
    expect(shown(page)).toMatchObject({
      urgency: 'high',
      notification: {
        navigate: `${consoleUrl}pages/${page.pageId}`,
        actions: [{ action: 'acknowledge' }, { action: 'escalate' }],
        data: { kind: 'page', pageId: page.pageId, escalationStep: page.step },
      },
    });
  });

  it('of an event is one of a notification', () =>
    expect(shown(eventReceived({ eventId: 'evt_1' })).notification.data).toMatchObject({
      kind: 'notification',
      notificationId: 'evt_1',
    }));

  it('is at most 3,000 bytes, whatever its texts', () =>
    fc.assert(
      fc.property(text, text, (title, prompt) => {
        const asked = interactionAsked({
          title,
          prompt,
          imageUrl: null,
          url: `https://x.test/${'y'.repeat(1900)}`,
        });
        const message = webAlert(pushOf(asked)!, consoleUrl).json(deviceId);
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(webMessageLimit);
      }),
      { numRuns: 100 },
    ));

  it('that is cut ends with an ellipsis', () => {
    const { notification } = shown(interactionAsked({ prompt: 'x'.repeat(8_000) }));
    expect(notification.body).toMatch(/^x{1000,}…$/);
  });

  it('replaces one without a sound', () =>
    expect(JSON.parse(webReplacement('int_1', 'Answered', consoleUrl).json(deviceId))).toEqual({
      web_push: 8030,
      notification: {
        title: 'Answered',
        body: '',
        navigate: consoleUrl,
        tag: 'int_1',
        silent: true,
        data: { kind: 'withdraw', id: 'int_1', deviceId },
      },
    }));
});
