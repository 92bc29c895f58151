// The two ways to talk to a server: the official client, and gRPC itself for what that client cannot say.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
export const {
  EventStoreDBClient,
  jsonEvent,
  binaryEvent,
  excludeSystemEvents,
  persistentSubscriptionToStreamSettingsFromDefaults,
} = require('@eventstore/db-client');
export const streams = require('@eventstore/db-client/generated/streams_pb.js');
export const shared = require('@eventstore/db-client/generated/shared_pb.js');
export const gossip = require('@eventstore/db-client/generated/gossip_pb.js');
const { StreamsClient } = require('@eventstore/db-client/generated/streams_grpc_pb.js');
const { GossipClient } = require('@eventstore/db-client/generated/gossip_grpc_pb.js');
const { ServerFeaturesClient } = require('@eventstore/db-client/generated/serverfeatures_grpc_pb.js');
const inClient = createRequire(require.resolve('@eventstore/db-client'));
export const grpc = inClient('@grpc/grpc-js');
export const { Timestamp } = inClient('google-protobuf/google/protobuf/timestamp_pb.js');
export const { Empty } = inClient('google-protobuf/google/protobuf/empty_pb.js');

export const clientVersion = require('@eventstore/db-client/package.json').version;

/** Clients for one server. Opened anew when the client broke. */
export class Connection {
  constructor(url) {
    this.url = url;
    this.address = /^esdb(?:\+discover)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1];
    if (!this.address) throw new Error(`not an address of a server: ${url}`);
    this.reopen();
  }

  /** Resolves when gRPC has a connection: after a break it waits longer and longer before it tries again. */
  ready() {
    const clients = [this.raw, this.gossip, this.features, this.generic];
    return Promise.all(
      clients.map(
        (client) =>
          new Promise((resolve, reject) =>
            client.waitForReady(Date.now() + 20_000, (error) => (error ? reject(error) : resolve())),
          ),
      ),
    );
  }

  reopen() {
    const credentials = grpc.credentials.createInsecure();
    const options = {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      // A connection of its own: a broken one must not be found again.
      'grpc.use_local_subchannel_pool': 1,
    };
    for (const old of [this.raw, this.gossip, this.features, this.generic]) old?.close();
    this.raw = new StreamsClient(this.address, credentials, options);
    this.gossip = new GossipClient(this.address, credentials, options);
    this.features = new ServerFeaturesClient(this.address, credentials, options);
    this.generic = new grpc.Client(this.address, credentials, options);
    const also = (option) => `${this.url}${this.url.includes('?') ? '&' : '?'}${option}`;
    this.client = EventStoreDBClient.connectionString(this.url);
    this.quietClient = EventStoreDBClient.connectionString(also('throwOnAppendFailure=false'));
    this.namedClient = EventStoreDBClient.connectionString(also('connectionName=recorder'));
  }
}
