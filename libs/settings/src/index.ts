export { cell, otherCells } from './cells';
export { checkoutOf } from './checkout';
export { databaseSetting, databaseUrl } from './databases';
export { eventsLimits } from './events';
export { keepDays } from './keep';
export { isSet, numberSetting, portRange, secret, setting, settingOf } from './settings';
