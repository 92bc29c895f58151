import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApi } from './asyncapi';
import { count, flag, id, instant, keepFields, listOf, nullable, oneOf, record } from './fields';
import { cloudEventType, publishedEvents, subjectPrefix, unpublishedEvents } from './published';

const contracts = join(import.meta.dirname, '..');

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

  it('publishes no event that it also leaves out', () =>
    expect(unpublishedEvents.filter((type) => type in publishedEvents)).toEqual([]));

  it.each(Object.entries(publishedEvents))(
    '%s has a subject, a type, an id and a time of its own',
    (_, entry) => {
      expect(subjectPrefix(entry)).toMatch(/^evt\.[a-z-]+\.[a-z-]+\.[a-z-]+$/);
      expect(cloudEventType(entry)).toMatch(/^com\.carillon\.[a-z-]+\.[a-z-]+\.v1$/);
      expect(entry.data[entry.id]).toBe(id);
      expect(entry.data[entry.time]).toBe(instant);
      expect(entry.data['accountId']).toBe(id);
    },
  );

  it('gives every event another subject and another type', () => {
    const entries = Object.values(publishedEvents);
    expect(new Set(entries.map(subjectPrefix)).size).toBe(entries.length);
    expect(new Set(entries.map(cloudEventType)).size).toBe(entries.length);
  });

  it('has a channel, an operation and a message for each in the AsyncAPI document', () => {
    const { channels, operations, components } = asyncApi() as Record<string, any>;
    for (const all of [channels, operations, components.messages])
      expect(Object.keys(all)).toHaveLength(Object.keys(publishedEvents).length);
    expect(channels['push.device.registered'].address).toBe('evt.push.device.registered.{deviceId}');
    for (const { channel } of Object.values<any>(operations))
      expect(channels).toHaveProperty([channel.$ref.replace('#/channels/', '')]);
  });
});

describe('a published field', () => {
  const some = 'anot_01jd3q5w00f8zb8k4t2m6x9yrc';
  const text = 'Call me at 555-0100';

  it.each([
    ['an id', id, some],
    ['a time', instant, '2026-11-20T09:00:00.000Z'],
    ['a count', count, 0],
    ['a flag', flag, false],
    ['a state', oneOf('pending', 'accepted'), 'accepted'],
    ['nothing', nullable(id), null],
    ['a list', listOf(id), [some, some]],
  ])('keeps %s', (_, field, value) => expect(field.keep(value)).toEqual(value));

  it.each([
    ['an id', id],
    ['a time', instant],
    ['a count', count],
    ['a flag', flag],
    ['a state', oneOf('pending', 'accepted')],
    ['an id or nothing', nullable(id)],
    ['a list of ids', listOf(id)],
    ['a record', record<{ a: string }>({ a: id })],
  ])('that is %s takes no text, in no form', (_, field) => {
    for (const value of [
      text,
      [text],
      { a: text },
      [{ a: text }],
      [some, text],
      `${some} ${text}`,
      `${some}\n`,
    ])
      expect(field.keep(value)).toBeUndefined();
  });

  it('of a record leaves the rest of it behind', () =>
    expect(record<{ a: string; b: string }>({ a: id }).keep({ a: some, b: text })).toEqual({ a: some }));

  it('that an old event does not have is null where it may be', () =>
    expect(keepFields({ a: nullable(id), b: id }, {})).toEqual({ data: { a: null }, unfit: ['b'] }));
});
