export { type DescribedAnswer } from './description';
export { eventually } from './eventually';
export { House, type HouseOptions, type HouseState, standaloneMain, startHouse } from './house';
export { HouseAccount, type HousePhone } from './house-account';
export type { HouseAnswer, HouseRequest } from './house-call';
export type { LogLine, ReceivedPush } from './house-expectations';
export { type GatewayProcess, startGateway } from './gateway';
export { given, type Then } from './given';
export { listen, ListeningClient, type Told } from './listen';
export { type NameAnswer, type NameServer, startNames } from './names';
export { end, freePort, type NatsCluster, type NatsServer, startNats, startNatsCluster } from './nats';
export { startParts } from './parts';
export {
  type Authority,
  makeAuthority,
  type ReceivedReply,
  Receiver,
  type ReceiverAnswer,
  trust,
} from './receiver';
export { type EmulatorProcess, startEmulatorProcess } from './emulator';
export { startPostgres } from './postgres';
export type { TestPostgres } from './postgres';
export { startStoreProxy, type StoreProxy } from './store-proxy';
export { startSimulator } from './simulator';
