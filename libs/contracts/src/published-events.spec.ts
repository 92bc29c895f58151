import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DomainEvent } from '@carillon/eventing';
import type { InboxEvent } from './inbox/inbox.events';
import { asyncApi } from './published/asyncapi';
import { id, instant, oneOf } from './published/fields';
import { cloudEventType, type Publications, subjectOf, unpublished } from './published/publication';
import { publishedEvents, unpublishedEvents } from './published-events';
import type { WebhookDisabled, WebhookSecretRotated } from './webhooks/webhooks.events';

const contracts = import.meta.dirname;

/** The event types that contracts declare, found in their text, so that one in no union is found too. */
const declared = readdirSync(contracts, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.events.ts'))
  .flatMap((file) => [...readFileSync(join(contracts, file), 'utf8').matchAll(/readonly type: '(\w+)'/g)])
  .map((found) => found[1]!);

describe('the table of published events', () => {
  it('names every event of the contracts, or leaves it out knowingly', () => {
    expect(declared.length).toBeGreaterThan(20);
    const known = new Set([...Object.keys(publishedEvents), ...unpublishedEvents]);
    expect(declared.filter((type) => !known.has(type))).toEqual([]);
  });

  it('publishes nothing that contracts do not declare', () =>
    expect(Object.keys(publishedEvents).filter((type) => !declared.includes(type))).toEqual([]));

  it.each(Object.entries(publishedEvents))(
    '%s has a subject, a type, an id and a time of its own',
    (_, entry) => {
      expect(subjectOf(entry)).toMatch(/^evt\.[a-z-]+\.[a-z-]+\.[a-z-]+$/);
      expect(cloudEventType(entry)).toMatch(/^com\.carillon\.[a-z-]+\.[a-z-]+\.v1$/);
      expect(entry.data[entry.id]).toBe(id);
      expect(entry.data[entry.time]).toBe(instant);
      // The owner of the event.
      expect(entry.data['accountId'] ?? entry.data['teamId']).toBe(id);
    },
  );

  it('gives every event another subject and another type', () => {
    const entries = Object.values(publishedEvents);
    expect(new Set(entries.map(subjectOf)).size).toBe(entries.length);
    expect(new Set(entries.map(cloudEventType)).size).toBe(entries.length);
  });

  it('has a channel, an operation and a message for each in the AsyncAPI document', () => {
    const { channels, operations, components } = asyncApi(publishedEvents) as Record<string, any>;
    for (const all of [channels, operations, components.messages])
      expect(Object.keys(all)).toHaveLength(Object.keys(publishedEvents).length);
    expect(channels['push.device.registered'].address).toBe('evt.push.device.registered');
    for (const { channel } of Object.values<any>(operations))
      expect(channels).toHaveProperty([channel.$ref.replace('#/channels/', '')]);
  });
});

describe('what does not compile', () => {
  const readThrough = {
    InboxItemRead: unpublished,
    InboxItemsRead: unpublished,
    InboxReadThrough: unpublished,
  } as const;
  const disabled = {
    name: 'webhooks.webhook.disabled',
    id: 'webhookId',
    time: 'disabledAt',
    summary: 'A reply webhook was switched off.',
  } as const;
  const table = <Event extends DomainEvent>(of: Publications<Event>) => Object.keys(of);

  it('is a table without one of its events', () =>
    // @ts-expect-error InboxItemUnread is neither published nor left out.
    expect(table<InboxEvent>(readThrough)).toHaveLength(3));

  it('is a field that the event does not have', () =>
    // @ts-expect-error The event has `reason`.
    expect(table<WebhookDisabled>({ WebhookDisabled: { ...disabled, data: { cause: id } } })).toHaveLength(
      1,
    ));

  it('is a field without one of its states', () => {
    const data = { reason: oneOf('gone') };
    // @ts-expect-error `failing` is missing.
    expect(table<WebhookDisabled>({ WebhookDisabled: { ...disabled, data } })).toHaveLength(1);
  });

  it('is a field that may be null without saying so', () => {
    const data = { formerUntil: instant };
    const rotated = { ...disabled, name: 'webhooks.webhook.rotated', time: 'rotatedAt', data } as const;
    // @ts-expect-error It is null where the former secret ended at once.
    expect(table<WebhookSecretRotated>({ WebhookSecretRotated: rotated })).toHaveLength(1);
  });
});
