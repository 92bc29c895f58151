import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import operations from '@eventstore/db-client/generated/operations_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { createRequire } from 'node:module';

/*
 * The message and service definitions that the official client ships. They are CommonJS whose exports an ESM import
 * cannot see by name: each is imported as a whole.
 */
export { features, gossip, operations, shared, status, streams };
export const google = { Any: any.Any, Empty: empty.Empty };

/** The services have no types that fit the gRPC library. */
const require = createRequire(import.meta.url);

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
export const { OperationsService } = require('@eventstore/db-client/generated/operations_grpc_pb.js') as {
  OperationsService: Methods<'startScavenge'>;
};
export const { ServerFeaturesService } =
  require('@eventstore/db-client/generated/serverfeatures_grpc_pb.js') as {
    ServerFeaturesService: Methods<'getSupportedMethods'>;
  };
