export { checkoutOf } from './checkout';
export { eventsLimits } from './events';
export { isSet, numberSetting, portRange, secret, setting, settingOf } from './settings';
