import type { NotificationSent, PushReported } from '@carillon/contracts';
import type { DomainEvent, Recorded } from '@carillon/eventing';
import { newId } from '@carillon/signing';
import { publicationOf } from './published';

const at = Date.parse('2026-11-20T09:00:00.000Z');
const [notificationId, accountId, tokenId, deviceId] = ['anot', 'usr', 'tok', 'dev'].map((prefix) =>
  newId(prefix, at),
) as [string, string, string, string];
const text = 'The key is under the mat';

const sent: NotificationSent = {
  type: 'NotificationSent',
  notificationId,
  accountId,
  tokenId,
  sourceName: text,
  title: text,
  body: text,
  summary: text,
  bodyFormat: 'text',
  imageUrl: `https://example.com/${text}`,
  url: `https://example.com/${text}`,
  projectId: text,
  projectName: text,
  appId: null,
  deviceIds: [deviceId],
  fingerprint: text,
  sentAt: '2026-11-20T09:00:00.000Z',
};

const recorded = (event: DomainEvent, more: Partial<Recorded['metadata']> = {}): Recorded => ({
  id: '7b0c1f0e-4d0f-5a6e-9a64-4a6b2f3a1c55',
  stream: 'notification-0123456789abcdef',
  revision: 0n,
  position: 4711n,
  at: '2026-11-20T09:00:00.123Z',
  type: event.type,
  event,
  metadata: {
    commandId: text,
    correlationId: text,
    accountId,
    actor: { accountId, process: text },
    ...more,
  },
});

const published = (event: DomainEvent, more?: Partial<Recorded['metadata']>) => {
  const publication = publicationOf(recorded(event, more));
  if (!('publish' in publication)) throw new Error('not published');
  return { ...publication, cloudEvent: JSON.parse(publication.publish.body) };
};

describe('publishing an event', () => {
  it('makes a CloudEvent of the fields that the contract names', () => {
    const { publish, cloudEvent, unfit } = published(sent);
    expect(unfit).toEqual([]);
    expect(publish).toMatchObject({
      id: '7b0c1f0e-4d0f-5a6e-9a64-4a6b2f3a1c55',
      subject: 'evt.notifications.notification.sent',
      about: notificationId,
    });
    expect(cloudEvent).toEqual({
      specversion: '1.0',
      id: '7b0c1f0e-4d0f-5a6e-9a64-4a6b2f3a1c55',
      source: 'urn:carillon:notifications',
      type: 'com.carillon.notification.sent.v1',
      subject: notificationId,
      time: '2026-11-20T09:00:00.000Z',
      datacontenttype: 'application/json',
      position: '4711',
      data: {
        notificationId,
        accountId,
        tokenId,
        appId: null,
        deviceIds: [deviceId],
        recipients: null,
        sentAt: '2026-11-20T09:00:00.000Z',
      },
    });
  });

  it('asked twice makes the same message', () => expect(published(sent)).toEqual(published(sent)));

  it('carries the trace of its request', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(published(sent, { traceparent }).cloudEvent.traceparent).toBe(traceparent);
    expect(published(sent, { traceparent: text }).cloudEvent).not.toHaveProperty('traceparent');
  });

  it('lets no text through, even where it stands in a field that is published', () => {
    const { publish, unfit } = published({
      ...sent,
      tokenId: text,
      appId: text,
      deviceIds: [text],
    } as NotificationSent);
    expect(publish.body).not.toContain(text);
    expect(publish.subject).not.toContain(text);
    expect(unfit).toEqual(['tokenId', 'appId', 'deviceIds']);
  });

  it('tells of a receipt which device and how it stands, not what the provider said', () => {
    const reported: PushReported = {
      type: 'PushReported',
      subjectId: notificationId,
      accountId,
      accepted: 0,
      receipts: [
        { id: newId('rcp', at), deviceId, status: 'error', errorCode: text, checkedAt: sent.sentAt },
      ],
      final: true,
      reportedAt: sent.sentAt,
    };
    const { publish, cloudEvent } = published(reported);
    expect(publish.body).not.toContain(text);
    expect(cloudEvent.data.receipts).toEqual([
      { id: reported.receipts[0]!.id, deviceId, status: 'error', checkedAt: sent.sentAt },
    ]);
  });

  it('is left out where the contract says so', () =>
    expect(publicationOf(recorded({ type: 'InboxItemRead' }))).toEqual({ skip: 'unpublished' }));

  it('is left out when it cannot be addressed', () =>
    expect(publicationOf(recorded({ ...sent, notificationId: 'a.b.>' } as NotificationSent))).toEqual({
      skip: 'unaddressable',
    }));

  it.each(['Renamed', 'toString', '__proto__'])('is not guessed at when its type is %s', (type) =>
    expect(publicationOf(recorded({ type }))).toEqual({ unknown: type }),
  );
});
