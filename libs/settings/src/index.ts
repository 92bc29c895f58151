export { checkoutOf } from './checkout';
export { eventsLimits } from './events';
export { keepDays } from './keep';
export { isSet, numberSetting, portRange, secret, setting, settingOf } from './settings';
