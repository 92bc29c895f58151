// What a scenario says of an error: what a caller can rely on, without what differs from run to run.
import { grpc } from './connection.mjs';

const TRANSPORT = new Set([
  'date',
  'server',
  'content-type',
  'content-length',
  'grpc-status',
  'grpc-message',
]);
const PUBLIC = [
  'streamName',
  'expectedVersion',
  'actualVersion',
  'maxAppendSize',
  'requiredMetadataProperties',
];

export function errorOf(error) {
  if (error.type === undefined && typeof error.code === 'number' && error.metadata instanceof grpc.Metadata)
    return {
      code: error.code,
      details: error.details ? 'some' : 'none',
      trailers: Object.fromEntries(
        Object.entries(error.metadata.getMap()).filter(([key]) => !TRANSPORT.has(key)),
      ),
    };
  if (error.type === undefined) return { error: error.name, why: error.why };
  const fields = Object.fromEntries(
    PUBLIC.filter((key) => error[key] !== undefined).map((key) => [key, error[key]]),
  );
  return { error: error.type, code: error.code, ...fields };
}
