import { schemaOf } from './record';
import {
  cloudEventsMediaType,
  cloudEventType,
  type PublishedEvent,
  publishedStream,
  publishedSubjects,
  sourceOf,
  subjectOf,
} from './publication';

const about = [
  'What has happened, for programs that run beside Carillon.',
  `Each event is one CloudEvent 1.0 in JSON on the JetStream stream ${publishedStream} (${publishedSubjects}).`,
  'Events carry ids, states, counts and times, never what people wrote.',
  "Every event comes at least once: tell repeats by the event's id.",
  'New fields and new events may appear at any time. docs/events.md says more.',
].join(' ');

const channelOf = (entry: PublishedEvent): object => ({
  address: subjectOf(entry),
  messages: { [entry.name]: { $ref: `#/components/messages/${entry.name}` } },
});

const operationOf = (entry: PublishedEvent): object => ({
  action: 'send',
  summary: entry.summary,
  channel: { $ref: `#/channels/${entry.name}` },
});

const messageOf = (type: string, entry: PublishedEvent): object => ({
  name: type,
  title: cloudEventType(entry),
  summary: entry.summary,
  contentType: cloudEventsMediaType,
  headers: { $ref: '#/components/schemas/Headers' },
  payload: {
    allOf: [
      { $ref: '#/components/schemas/CloudEvent' },
      {
        type: 'object',
        properties: {
          source: { const: sourceOf(entry) },
          type: { const: cloudEventType(entry) },
          data: schemaOf(entry.data),
        },
      },
    ],
  },
});

const schemas = {
  Headers: {
    type: 'object',
    properties: {
      'Nats-Msg-Id': {
        type: 'string',
        format: 'uuid',
        description: 'The id of the event, the same in every repeat',
      },
      'content-type': { const: cloudEventsMediaType },
      'ce-subject': { type: 'string', description: 'The id of what the event is about' },
    },
    required: ['Nats-Msg-Id', 'content-type', 'ce-subject'],
  },
  CloudEvent: {
    type: 'object',
    properties: {
      specversion: { const: '1.0' },
      id: { type: 'string', format: 'uuid', description: 'The same in every repeat of the event' },
      source: { type: 'string', format: 'uri' },
      type: { type: 'string' },
      subject: { type: 'string', description: 'The id of what the event is about' },
      time: { type: 'string', format: 'date-time' },
      datacontenttype: { const: 'application/json' },
      position: {
        type: 'string',
        pattern: '^[0-9]+$',
        description:
          'Position in the log: events are in the order of this number, and an answer to a request that carries it as Carillon-Position is no older',
      },
      traceparent: { type: 'string', description: 'W3C trace context, when the request had one' },
      data: { type: 'object' },
    },
    required: [
      'specversion',
      'id',
      'source',
      'type',
      'subject',
      'time',
      'datacontenttype',
      'position',
      'data',
    ],
  },
};

/** The AsyncAPI 3.0 document of these published events, which are given by type. */
export function asyncApi(events: Readonly<Record<string, PublishedEvent>>): object {
  const table = Object.entries(events);
  const each = (describe: (entry: PublishedEvent, type: string) => object): object =>
    Object.fromEntries(table.map(([type, entry]) => [entry.name, describe(entry, type)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of Carillon',
      version: '1.0.0',
      description: about,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: cloudEventsMediaType,
    servers: { local: { host: '127.0.0.1:4222', protocol: 'nats', description: 'What NATS_URL names' } },
    channels: each(channelOf),
    operations: each(operationOf),
    components: { messages: each((entry, type) => messageOf(type, entry)), schemas },
  };
}
