import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { EmulatorAccess } from './access';
import { answersTogether } from './answers-together';
import { FolderLock } from './folder-lock';
import { GossipService, OperationsService, ServerFeaturesService } from './protocol';
import { operationsService } from './scavenge';
import { gossipOf, serverFeatures } from './services';
import { Store } from './store';
import { definition, OpenCalls, streamsService } from './streams';

export interface EmulatorOptions {
  /** 0 or nothing: a free one. */
  port?: number;
  host?: string;
  dataDir: string;
  /** PEM. Without it the server is insecure and lets everybody in. */
  tls?: { cert: string | Buffer; key: string | Buffer };
  /** Names and passwords; only with TLS. Without users everybody may come in. */
  users?: Readonly<Record<string, string>>;
  /** The largest append in bytes; 1 MiB like the real server. */
  maxAppendSize?: number;
  /** The clock behind `created` and `$maxAge`, in milliseconds. */
  now?: () => number;
  /** Called when the disk failed; the server has stopped accepting then. */
  onFatal?: (error: Error) => void;
}

export interface Emulator {
  port: number;
  connectionString: string;
  /** Finishes the accepted writes, ends open subscriptions as unavailable and closes the files. */
  close(): Promise<void>;
}

const MAX_APPEND_SIZE = 1024 * 1024;
const MAX_MESSAGE_SIZE = 17 * 1024 * 1024;
const CLOSE_GRACE = 500;

/** Starts EventStoreDB's wire protocol over a folder. It is an emulator, no production database. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { host = '127.0.0.1', dataDir, tls, users } = options;
  if (users && Object.keys(users).length > 0 && !tls)
    throw new Error('users need TLS: a client sends no credentials over an insecure connection');

  const onFatal = options.onFatal ?? ((error: Error) => console.error(error));
  const lock = FolderLock.take(dataDir);
  let store: Store | undefined;
  try {
    store = await Store.open(dataDir, {
      now: options.now ?? Date.now,
      onFatal,
    });
    const access = new EmulatorAccess(users);
    const calls = new OpenCalls();
    let port = options.port ?? 0;
    const server = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_SIZE,
      'grpc.max_send_message_length': -1,
      // Pages of events are sent in bursts; the default window of 64 KiB would make each burst wait.
      'grpc-node.flow_control_window': 1024 * 1024,
      interceptors: [answersTogether],
    });
    const service = (methods: object) => methods as ServiceDefinition;
    server.addService(
      service(definition),
      streamsService({
        store,
        access,
        calls,
        maxAppendSize: options.maxAppendSize ?? MAX_APPEND_SIZE,
      }),
    );
    const { startScavenge } = OperationsService;
    server.addService(service({ startScavenge }), operationsService(store, access, onFatal));
    // Both are asked before a client can have credentials.
    server.addService(service(ServerFeaturesService), serverFeatures());
    server.addService(
      service(GossipService),
      gossipOf(host, () => port),
    );
    port = await bind(server, `${host.includes(':') ? `[${host}]` : host}:${port}`, tls);

    const callable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    const opened = store;
    let closed: Promise<void> | undefined;
    const close = async () => {
      await opened.drain();
      calls.endAll();
      await shutDown(server);
      await opened.close();
      lock.release();
    };
    return {
      port,
      connectionString: `esdb://${callable}:${port}?tls=${tls ? 'true' : 'false'}`,
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await store?.close();
    lock.release();
    throw error;
  }
}

function bind(server: Server, address: string, tls: EmulatorOptions['tls']): Promise<number> {
  const credentials = tls
    ? ServerCredentials.createSsl(null, [
        { cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) },
      ])
    : ServerCredentials.createInsecure();
  return new Promise((resolve, reject) =>
    server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port))),
  );
}

/** Lets what was sent arrive, but waits for nobody who does not read. */
function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, CLOSE_GRACE);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
