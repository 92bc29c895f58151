import { randomUUID } from 'node:crypto';
import type { handleUnaryCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import {
  features,
  gossip,
  GossipService,
  OperationsService,
  ServerFeaturesService,
  shared,
  StreamsService,
} from './protocol';

/** What the real server of this line calls itself; clients decide by the features, and log the version. */
const VERSION = '23.10.7';

/** The paths of what streams can do, and the features of each. */
const STREAMS: [path: string, features: string[]][] = [
  [StreamsService.append.path, []],
  [StreamsService.batchAppend.path, ['deadline_duration']],
  [StreamsService.delete.path, []],
  [StreamsService.read.path, ['position', 'events']],
  [StreamsService.tombstone.path, []],
];

/**
 * Lists what is there, in lower case as the real server does. Persistent subscriptions are not listed, so that a
 * client knows.
 */
export function serverFeatures(): UntypedServiceImplementation {
  const answer = new features.SupportedMethods();
  answer.setEventStoreServerVersion(VERSION);
  const add = (path: string, names: string[]) => {
    const [, service, method] = path.toLowerCase().split('/');
    const supported = new features.SupportedMethod();
    supported.setServiceName(service!);
    supported.setMethodName(method!);
    supported.setFeaturesList(names);
    answer.getMethodsList().push(supported);
  };
  for (const [path, names] of STREAMS) add(path, names);
  add(GossipService.read.path, []);
  add(OperationsService.startScavenge.path, []);
  add(ServerFeaturesService.getSupportedMethods.path, []);
  const getSupportedMethods: handleUnaryCall<unknown, unknown> = (_call, done) => done(null, answer);
  return { getSupportedMethods };
}

/** Says that this is a cluster of one leader, under the name by which the caller reached it. */
export function gossipOf(host: string, port: () => number): UntypedServiceImplementation {
  const hex = randomUUID().replaceAll('-', '');
  const half = (digits: string) => String(BigInt.asIntN(64, BigInt(`0x${digits}`)));
  const instance = new shared.UUID.Structured();
  instance.setMostSignificantBits(half(hex.slice(0, 16)));
  instance.setLeastSignificantBits(half(hex.slice(16)));
  const read: handleUnaryCall<unknown, unknown> = (call, done) => {
    const id = new shared.UUID();
    id.setStructured(instance);
    const endpoint = new gossip.EndPoint();
    endpoint.setAddress(calledAs(call.getHost()) ?? host);
    endpoint.setPort(port());
    const member = new gossip.MemberInfo();
    member.setInstanceId(id);
    member.setTimeStamp(`${Date.now()}0000`);
    member.setState(gossip.MemberInfo.VNodeState.LEADER);
    member.setIsAlive(true);
    member.setHttpEndPoint(endpoint);
    const answer = new gossip.ClusterInfo();
    answer.setMembersList([member]);
    done(null, answer);
  };
  return { read };
}

function calledAs(authority: string): string | undefined {
  return /^(.+?)(?::\d+)?$/.exec(authority)?.[1];
}
