export { authenticatorCode } from './authenticator';
export { askOn, contextOf, streamMetadata, newAccount, outcomeOf } from './asking';
export { findBrowser, findFirefox, startDisplay } from './browser';
export { findProgram } from './system-package';
export { type CollectedSpan, Collector } from './collector';
export { type DescribedAnswer } from './description';
export {
  activityProps,
  activityStarted,
  eventReceived,
  interactionAsked,
  notificationSent,
  pageNotified,
  pushReported,
} from './events';
export { eventually } from './eventually';
export { checkout, House, type HouseOptions, type HousePart, standaloneMain, startHouse } from './house';
export type { HouseState } from './house-state';
export { HouseAccount, type HousePhone } from './house-account';
export type { HouseAnswer, HouseRequest } from './house-call';
export type { LogLine, ReceivedPush } from './house-expectations';
export { type GatewayProcess, startGateway } from './gateway';
export { given, type Then } from './given';
export { costlyTexts } from './growth';
export { indexesOf } from './indexes';
export { listen, ListeningClient, type SseMessage } from './listen';
export { type Cost, Meter } from './meter';
export { type NameAnswer, type NameServer, startNames } from './names';
export { end } from './child';
export { type NatsCluster, type NatsServer, startNats, startNatsCluster } from './nats';
export { onCall, reachable, type Reachable } from './on-call';
export { startParts } from './parts';
export { PersonBrowser } from './person-browser';
export { played, PlayedCarillon, type PlayedAnswer, type PlayedQuestion } from './played-carillon';
export { poison, rejoin, setAside } from './poison';
export {
  IdentityProvider,
  providerClient,
  providerKey,
  providersFile,
  serveSecurely,
} from './identity-provider';
export { freePort, portOf } from './port';
export { signalAll } from './processes';
export { PrivateApp, type SeenRequest } from './private-app';
export {
  type Authority,
  makeAuthority,
  type ReceivedReply,
  Receiver,
  type ReceiverAnswer,
  trust,
} from './receiver';
export { type EmulatorProcess, startEmulatorProcess } from './emulator';
export { replaceProcess } from './replace-process';
export { runTool } from './operator';
export { OldPlan, type PlanNode, readsOf } from './old-plan';
export { startPostgres } from './postgres';
export type { TestPostgres } from './postgres';
export { type ArchivingPostgres, startArchivingPostgres } from './postgres-archive';
export { Relay } from './relay';
export { startReplica } from './replica';
export { startServiceProcess } from './service-process';
export { scavenge } from './scavenge';
export { SecurityKey } from './security-key';
export { rowsReach } from './rows';
export { SchemaValues } from './schema-values';
export { startStoreProxy, type StoreProxy } from './store-proxy';
export { type StandIns, startStandIns } from './stand-ins';
export { startSimulator } from './simulator';
export {
  deviceGroupCreated,
  family,
  inviteCreated,
  oncallGroupCreated,
  overrideCreated,
  workplaceTeam,
} from './team-events';
export { type TrayItem, trayOf, whileTimePasses } from './tray';
