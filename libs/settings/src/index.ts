export { isSet, numberSetting, secret, setting, settingOf } from './settings';
