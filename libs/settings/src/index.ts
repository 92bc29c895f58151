export { checkoutOf } from './checkout';
export { isSet, numberSetting, portRange, secret, setting, settingOf } from './settings';
