import { createRequire } from 'node:module';

/**
 * The message and service definitions that the official client ships. They are CommonJS whose exports an ESM import
 * cannot see by name.
 */
const require = createRequire(import.meta.url);

export const streams =
  require('@eventstore/db-client/generated/streams_pb.js') as typeof import('@eventstore/db-client/generated/streams_pb');
export const shared =
  require('@eventstore/db-client/generated/shared_pb.js') as typeof import('@eventstore/db-client/generated/shared_pb');
export const status =
  require('@eventstore/db-client/generated/status_pb.js') as typeof import('@eventstore/db-client/generated/status_pb');
export const gossip =
  require('@eventstore/db-client/generated/gossip_pb.js') as typeof import('@eventstore/db-client/generated/gossip_pb');
export const features =
  require('@eventstore/db-client/generated/serverfeatures_pb.js') as typeof import('@eventstore/db-client/generated/serverfeatures_pb');
export const google = {
  Any: (
    require('google-protobuf/google/protobuf/any_pb.js') as typeof import('google-protobuf/google/protobuf/any_pb')
  ).Any,
  Empty: (
    require('google-protobuf/google/protobuf/empty_pb.js') as typeof import('google-protobuf/google/protobuf/empty_pb')
  ).Empty,
};

interface Method {
  path: string;
  requestStream: boolean;
  responseStream: boolean;
  requestSerialize(message: unknown): Buffer;
  requestDeserialize(bytes: Buffer): never;
  responseSerialize(message: never): Buffer;
  responseDeserialize(bytes: Buffer): unknown;
}
type Methods<Name extends string> = Record<Name, Method>;

export const { StreamsService } = require('@eventstore/db-client/generated/streams_grpc_pb.js') as {
  StreamsService: Methods<'read' | 'append' | 'delete' | 'tombstone' | 'batchAppend'>;
};
export const { GossipService } = require('@eventstore/db-client/generated/gossip_grpc_pb.js') as {
  GossipService: Methods<'read'>;
};
export const { ServerFeaturesService } =
  require('@eventstore/db-client/generated/serverfeatures_grpc_pb.js') as {
    ServerFeaturesService: Methods<'getSupportedMethods'>;
  };
