import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import {
  type Client,
  credentials,
  makeClientConstructor,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  status,
} from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';

// They are CommonJS whose exports an ESM import cannot see by name.
const { Status } = statusPb;
const { Any } = any;
const { Empty } = empty;

const methods = {
  batchAppend: '/event_store.client.streams.Streams/BatchAppend',
  read: '/event_store.client.streams.Streams/Read',
  append: '/event_store.client.streams.Streams/Append',
  delete: '/event_store.client.streams.Streams/Delete',
  tombstone: '/event_store.client.streams.Streams/Tombstone',
  features: '/event_store.client.server_features.ServerFeatures/GetSupportedMethods',
  gossip: '/event_store.client.gossip.Gossip/Read',
} as const;

/** What a real server gives the second of two equal appends, and when. */
const droppedAfterMs = 2_000;
/** How long a real server that stops still serves the open call of appends. */
const servedAfterStopMs = 5_000;

type Call = ServerDuplexStream<Buffer, Buffer>;
type Correlation = ReturnType<InstanceType<typeof streams.BatchAppendResp>['getCorrelationId']>;

const same = (bytes: Buffer): Buffer => bytes;
const failed = (code: number): object => ({ code, details: 'the proxy ended it' });
const fail = (call: Call, error: object): void => void call.emit('error', error);

/** A UUID in either of its forms, as a key. */
const idOf = (id: Correlation): string => Buffer.from(id?.serializeBinary() ?? []).toString('hex');

/** Where a member of a cluster listens, all of them on this machine. */
const host = '127.0.0.1';

/** What a member of a cluster answers when it is asked for the others, of which it names the leader. */
function clusterOf(leaderPort: number): Buffer {
  const id = new shared.UUID();
  id.setString('00000000-0000-4000-8000-000000000001');
  const endpoint = new gossip.EndPoint();
  endpoint.setAddress(host);
  endpoint.setPort(leaderPort);
  const leader = new gossip.MemberInfo();
  leader.setInstanceId(id);
  leader.setState(gossip.MemberInfo.VNodeState.LEADER);
  leader.setIsAlive(true);
  leader.setHttpEndPoint(endpoint);
  const cluster = new gossip.ClusterInfo();
  cluster.setMembersList([leader]);
  return Buffer.from(cluster.serializeBinary());
}

/** How a member of a cluster that is not the leader ends a call of appends. */
function notLeader(leaderPort: number): object {
  const metadata = new Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', host);
  metadata.set('leader-endpoint-port', String(leaderPort));
  return { code: status.NOT_FOUND, details: 'Leader info available', metadata };
}

/** Whether the call is only for the leader: other members of a cluster pass the rest on to it. */
const requiresLeader = ({ metadata }: Call): boolean => metadata.get('requires-leader')[0] === 'true';

type ErrorStatus = InstanceType<typeof Status>;

/** What the server answers for an append of which it lost sight. */
function timeout(): ErrorStatus {
  const details = new Any();
  details.pack(new shared.Timeout().serializeBinary(), 'event_store.client.Timeout');
  const error = new Status();
  error.setCode(status.DEADLINE_EXCEEDED as never);
  error.setMessage('Timeout');
  error.setDetails(details);
  return error;
}

/** What the server answers for an append while it starts. When it is busy or has no leader, only the text differs. */
function notReady(): ErrorStatus {
  const details = new Any();
  details.pack(new Empty().serializeBinary(), 'google.protobuf.Empty');
  const error = new Status();
  error.setMessage('Server Is Not Ready');
  error.setDetails(details);
  return error;
}

function failedAppend(
  error: ErrorStatus,
  correlation: Correlation,
  stream: Uint8Array = new Uint8Array(),
): Buffer {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(stream);
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(correlation);
  response.setStreamIdentifier(identifier);
  response.setError(error);
  return Buffer.from(response.serializeBinary());
}

/** Plays, in front of an event store, what a real one was seen to do and the emulator never does. */
export interface StoreProxy {
  readonly url: string;
  readonly port: number;
  /** How many clients have connected so far: each asks first for what the server can do. */
  readonly clients: number;
  /** How many appends came by, repeated ones included. */
  readonly appends: number;
  /** The newest message of an append, and the headers of its call. */
  readonly newest: { readonly headers: Metadata; readonly message: Buffer } | undefined;
  /** The next reads and subscriptions end at once with a code of gRPC. */
  refuseReads(count: number, code: number): void;
  /** The next appends are stored, and answered as timed out. */
  answerTimedOut(count: number): void;
  /** The next appends are not stored, and answered as a server answers that is not ready. */
  answerNotReady(count: number): void;
  /** The next appends are stored, and their answers do not say where. */
  leavePositionOut(count: number): void;
  /**
   * From now on an append that comes while an equal one is under way is dropped: it ends as timed out after two
   * seconds.
   */
  dropEqual(): void;
  /** Answers of appends come this much later from now on. */
  delayAppends(ms: number): void;
  /** Ends the open calls of appends, or all, with a code of gRPC. */
  endCalls(code: number, which?: 'appends' | 'all'): void;
  /**
   * As a server after SIGTERM: new calls are refused at once, the open call of appends is served for five seconds more,
   * then calls end, with 13 or 14. Comes back as soon as `startAgain` is called.
   */
  stopSlowly(): void;
  startAgain(): void;
  /** From now on it is a member of a cluster with this leader. Others end calls of appends that require it. */
  isLedBy(leader: StoreProxy): void;
  stop(): Promise<void>;
}

/** A proxy before the event store at `port` of this machine. */
export async function startStoreProxy(port: number): Promise<StoreProxy> {
  const proxy = new Proxy(port);
  await proxy.listen();
  return proxy;
}

class Proxy implements StoreProxy {
  clients = 0;
  appends = 0;
  newest: StoreProxy['newest'];
  port = 0;
  private refusedReads = { left: 0, code: 0 };
  private timedOut = 0;
  private notReady = 0;
  private withoutPosition = 0;
  private dropsEqual = false;
  private delayMs = 0;
  private refuses = false;
  private stopping: NodeJS.Timeout | undefined;
  /** 0: it is no member of a cluster. */
  private leaderPort = 0;
  private readonly server = new Server();
  private readonly behind: Client;
  private readonly open = new Map<Call, { isAppends: boolean; end(error: object): void }>();

  constructor(port: number) {
    const Behind = makeClientConstructor({}, 'store');
    this.behind = new Behind(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  async listen(): Promise<void> {
    for (const path of Object.values(methods))
      this.server.register(path, (call: Call) => this.pass(path, call), same, same, 'bidi');
    this.port = await new Promise<number>((resolve, reject) =>
      this.server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
  }

  refuseReads(left: number, code: number): void {
    this.refusedReads = { left, code };
  }

  answerTimedOut(count: number): void {
    this.timedOut = count;
  }

  answerNotReady(count: number): void {
    this.notReady = count;
  }

  leavePositionOut(count: number): void {
    this.withoutPosition = count;
  }

  dropEqual(): void {
    this.dropsEqual = true;
  }

  delayAppends(ms: number): void {
    this.delayMs = ms;
  }

  endCalls(code: number, which: 'appends' | 'all' = 'all'): void {
    for (const call of [...this.open.values()]) if (which === 'all' || call.isAppends) call.end(failed(code));
  }

  stopSlowly(): void {
    this.refuses = true;
    for (const call of [...this.open.values()]) if (!call.isAppends) call.end(failed(status.UNAVAILABLE));
    this.stopping = setTimeout(() => this.endCalls(status.INTERNAL), servedAfterStopMs);
  }

  startAgain(): void {
    clearTimeout(this.stopping);
    this.refuses = false;
  }

  isLedBy(leader: StoreProxy): void {
    this.leaderPort = leader.port;
    if (this.leads) return;
    for (const [call, { isAppends, end }] of [...this.open])
      if (isAppends && requiresLeader(call)) end(notLeader(leader.port));
  }

  private get leads(): boolean {
    return this.leaderPort === 0 || this.leaderPort === this.port;
  }

  async stop(): Promise<void> {
    clearTimeout(this.stopping);
    this.server.forceShutdown();
    this.behind.close();
  }

  private pass(path: string, call: Call): void {
    if (this.refuses) return fail(call, failed(status.UNAVAILABLE));
    if (path === methods.features) this.clients += 1;
    if (path === methods.read && this.refusedReads.left > 0) {
      this.refusedReads.left -= 1;
      return fail(call, failed(this.refusedReads.code));
    }
    const isAppends = path === methods.batchAppend;
    if (isAppends && requiresLeader(call) && !this.leads) return fail(call, notLeader(this.leaderPort));
    if (path === methods.gossip) {
      call.write(clusterOf(this.leaderPort));
      return void call.end();
    }
    const metadata = call.metadata.clone();
    for (const name of Object.keys(metadata.getMap())) if (name.startsWith('grpc-')) metadata.remove(name);
    const onward = this.behind.makeBidiStreamRequest(path, same, same, metadata);
    let over = false;
    const end = (finish: () => void): void => {
      if (over) return;
      over = true;
      this.open.delete(call);
      finish();
    };
    this.open.set(call, {
      isAppends,
      end: (error) =>
        end(() => {
          fail(call, error);
          onward.cancel();
        }),
    });
    const appends = isAppends ? new Appends(this.rules(), (answer) => over || call.write(answer)) : undefined;
    call.on('data', (bytes: Buffer) => {
      if (appends) this.newest = { headers: call.metadata, message: bytes };
      if (!over && (appends?.asked(bytes) ?? true)) onward.write(bytes);
    });
    call.on('end', () => onward.end());
    call.on('cancelled', () => end(() => onward.cancel()));
    onward.on('data', (bytes: Buffer) => {
      if (appends) appends.answered(bytes);
      else if (!over) call.write(bytes);
    });
    onward.on('error', () => {});
    onward.on('status', ({ code, details, metadata: trailers }) =>
      end(() =>
        code === status.OK ? call.end(trailers) : call.emit('error', { code, details, metadata: trailers }),
      ),
    );
  }

  /** What happens to the appends of one call. */
  private rules(): Rules {
    return {
      came: () => void (this.appends += 1),
      isTimedOut: () => this.timedOut > 0 && this.timedOut-- > 0,
      isNotReady: () => this.notReady > 0 && this.notReady-- > 0,
      isWithoutPosition: () => this.withoutPosition > 0 && this.withoutPosition-- > 0,
      dropsEqual: () => this.dropsEqual,
      delayMs: () => this.delayMs,
    };
  }
}

interface Rules {
  came(): void;
  isTimedOut(): boolean;
  isNotReady(): boolean;
  isWithoutPosition(): boolean;
  dropsEqual(): boolean;
  delayMs(): number;
}

/** The appends of one call, which come in messages that name them by their correlation id. */
class Appends {
  /** Of the appends under way: their first event, and their stream, which answers name. */
  private readonly underWay = new Map<
    string,
    { first: string; stream: Uint8Array | undefined; isKept: boolean }
  >();

  constructor(
    private readonly rules: Rules,
    private readonly answer: (bytes: Buffer) => unknown,
  ) {}

  /** True when the message is to go on to the store. */
  asked(bytes: Buffer): boolean {
    const request = streams.BatchAppendReq.deserializeBinary(bytes);
    const id = idOf(request.getCorrelationId());
    let append = this.underWay.get(id);
    if (!append) {
      this.rules.came();
      const first = idOf(request.getProposedMessagesList()[0]?.getId());
      const dropped =
        this.rules.dropsEqual() && [...this.underWay.values()].some((other) => other.first === first);
      const isNotReady = this.rules.isNotReady();
      const correlation = request.getCorrelationId();
      const stream = request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8();
      append = { first, stream, isKept: dropped || isNotReady };
      this.underWay.set(id, append);
      if (isNotReady) this.give(id, failedAppend(notReady(), correlation, stream));
      else if (dropped) this.give(id, failedAppend(timeout(), correlation, stream), droppedAfterMs);
    }
    return !append.isKept;
  }

  answered(bytes: Buffer): void {
    const response = streams.BatchAppendResp.deserializeBinary(bytes);
    const correlation = response.getCorrelationId();
    const id = idOf(correlation);
    const success = response.getSuccess();
    let answer = bytes;
    if (success && this.rules.isTimedOut())
      answer = failedAppend(timeout(), correlation, this.underWay.get(id)?.stream);
    else if (success && this.rules.isWithoutPosition()) {
      success.setNoPosition(new Empty());
      answer = Buffer.from(response.serializeBinary());
    }
    this.give(id, answer, this.rules.delayMs());
  }

  private give(id: string, answer: Buffer, afterMs = 0): void {
    const now = (): void => {
      this.underWay.delete(id);
      this.answer(answer);
    };
    if (afterMs > 0) setTimeout(now, afterMs).unref();
    else now();
  }
}
