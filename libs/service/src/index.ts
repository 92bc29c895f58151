export { Clock, ManualClock, processClock, SystemClock } from './clock';
export { type Logger, logger, NestLog } from './logging';
export { metadataOf } from './metadata';
export { cursorKey, type PageKey, readPageKey, writeCursor } from './pages';
export { sharedBus, sharedLog } from './parts';
export { LOGGER, ServiceModule, type ServiceOptions } from './service.module';
export { rebuildProjection } from './rebuild';
export { isSet, numberSetting, secret, setting } from './settings';
export { type RunningService, runService, startService } from './start';
