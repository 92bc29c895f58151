import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import operations from '@eventstore/db-client/generated/operations_pb.js';
import {
  type ChannelCredentials,
  type Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
} from '@grpc/grpc-js';

/** The scavenge of one node. */
export interface Scavenge {
  readonly node: string;
  readonly id: string;
  /** False when a scavenge of the node was under way already. */
  readonly isNew: boolean;
}

type Response = InstanceType<(typeof operations)['ScavengeResp']>;
interface OperationsClient extends Client {
  startScavenge(
    request: InstanceType<(typeof operations)['StartScavengeReq']>,
    metadata: Metadata,
    options: { readonly deadline: number },
    done: (error: Error | null, response: Response) => void,
  ): ClientUnaryCall;
}

/** The client of this service has no types, and its exports cannot be imported by name. */
const { OperationsClient } = createRequire(import.meta.url)(
  '@eventstore/db-client/generated/operations_grpc_pb.js',
) as { OperationsClient: new (address: string, credentials: ChannelCredentials) => OperationsClient };

const deadlineMs = 10_000;

/**
 * Starts a scavenge on each node of the URL, or on one that the day decides: each has files of its own, and is slower
 * meanwhile. It goes on after the answer.
 */
export async function startScavenges(url: string, day?: number): Promise<Scavenge[]> {
  const { hosts, dnsDiscover, tls = true, tlsCAFile, defaultCredentials } = parseConnectionString(url);
  if (dnsDiscover) throw new Error('A scavenge is started on each node: name all nodes in EVENTSTORE_URL');
  const channel = tls
    ? credentials.createSsl(tlsCAFile === undefined ? null : readFileSync(tlsCAFile))
    : credentials.createInsecure();
  const metadata = new Metadata();
  if (tls && defaultCredentials) {
    const { username, password } = defaultCredentials;
    metadata.set('authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  }
  const started: Scavenge[] = [];
  const nodes = day === undefined ? hosts : hosts.slice(day % hosts.length).slice(0, 1);
  for (const { address, port } of nodes) started.push(await start(`${address}:${port}`, channel, metadata));
  return started;
}

async function start(node: string, channel: ChannelCredentials, metadata: Metadata): Promise<Scavenge> {
  const client = new OperationsClient(node, channel);
  const request = new operations.StartScavengeReq();
  const options = new operations.StartScavengeReq.Options();
  options.setThreadCount(1);
  options.setStartFromChunk(0);
  request.setOptions(options);
  try {
    const response = await new Promise<Response>((resolve, reject) =>
      client.startScavenge(request, metadata, { deadline: Date.now() + deadlineMs }, (error, answer) =>
        error ? reject(new Error(`${node} did not start a scavenge`, { cause: error })) : resolve(answer),
      ),
    );
    const isNew = response.getScavengeResult() === operations.ScavengeResp.ScavengeResult.STARTED;
    return { node, id: response.getScavengeId(), isNew };
  } finally {
    client.close();
  }
}
