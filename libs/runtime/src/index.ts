export { Clock, type ClockOrder, ManualClock, processClock } from './clock';
export { type Logger, logger, NestLog, logReady } from './logging';
export { listenOnSecondLoopback } from './second-loopback';
export { measureEventLoop } from './measure';
export { metadataOf } from './metadata';
export { networkOf, siteOf } from './network';
export { type DeleteBatch, PeriodicCleanup } from './periodic-cleanup';
export { isKept, keptSince, listedDays, neededDays, Retention } from './retention';
export { recordOperation } from './operations';
export { type Cause, type CommandContext, CommandQueue } from './command-queue';
export { EndedRows } from './ended-rows';
export { ForgottenRows } from './forgotten-rows';
export { ForgottenText, readableText, type TextRows } from './forgotten-text';
export { type DueRows, RowBatches } from './row-batches';
export { cursorKey, Cursors, listPageOf } from './cursors';
export { sharedBus, sharedLog, startWaits } from './parts';
export { LOGGER, migrateAll, migrationsOf, ServiceModule, type ServiceOptions } from './service.module';
export { databaseOf, rebuildProjection, throwAllRowsAway } from './rebuild';
export { type QuotaOptions, Quotas, retryingWithoutMissing } from './quotas';
export {
  cell,
  eventsLimits,
  isSet,
  keepDays,
  numberSetting,
  otherCells,
  portRange,
  secret,
  setting,
} from '@carillon/settings';
export { type RunningService, runService, runServices, startService } from './start';
