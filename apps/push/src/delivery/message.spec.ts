import type { Push } from '../payload/payload';
import { Alert, collapseIdOf, withdrawal } from './message';

const push: Push = {
  type: 'notification',
  id: 'anot_01k0000000e00280000000000',
  title: 'Build finished',
  text: 'main is green',
  url: null,
  imageUrl: null,
  appId: null,
  threadId: null,
  sentAt: '2026-11-20T09:00:00.000Z',
  expiresAt: '2026-11-21T09:00:00.000Z',
  question: null,
  group: null,
};

describe('a message', () => {
  it('is built once for all devices', () => {
    const alert = new Alert(push, '/console/');
    expect(alert.apns).toBe(alert.apns);
    expect(alert.fcm).toBe(alert.fcm);
  });

  it('sent twice replaces itself', () =>
    expect(new Alert(push, '/console/').collapseId).toBe(new Alert(push, '/console/').collapseId));

  it('that withdraws another is silent and does not replace it', () => {
    const silent = withdrawal(push.id, push.sentAt, 'Withdrawn', '/console/');
    expect(silent.kind).toBe('silent');
    expect(silent.collapseId).not.toBe(new Alert(push, '/console/').collapseId);
  });
});

describe('the id under which pushes collapse', () => {
  it.each(['anot_1', 'x'.repeat(64), 'x'.repeat(65), '🔔'.repeat(200)])(
    'has at most 64 bytes and stays the same',
    (id) => {
      expect(Buffer.byteLength(collapseIdOf(id))).toBeLessThanOrEqual(64);
      expect(collapseIdOf(id)).toBe(collapseIdOf(id));
    },
  );
});
