import type { RegisterDevice } from '@carillon/contracts';
import type { Install } from './device';
import { tokenOf } from '../transport/subscription';

/** What a registration says of the device. `keyId` names the key of the ring that a browser's VAPID key belongs to. */
export function installOf(input: RegisterDevice, keyId: string): Install {
  const { installId, platform, deviceName = null, subscription } = input;
  if (subscription)
    return {
      installId,
      platform,
      deviceName,
      pushToken: tokenOf(subscription, keyId),
      pushEnvironment: 'production',
      pushToStartToken: null,
      appBuild: 'web',
      liveActivitiesCapable: false,
      interactiveLiveActivitiesCapable: false,
    };
  const { pushToken, pushEnvironment, pushToStartToken = null, appBuild } = input;
  if (pushToken === undefined || pushEnvironment === undefined || appBuild === undefined)
    throw new Error('A registration has neither a subscription nor the addresses of a phone');
  return {
    installId,
    platform,
    deviceName,
    pushToken,
    pushEnvironment,
    pushToStartToken,
    appBuild,
    liveActivitiesCapable: input.liveActivitiesCapable ?? false,
    interactiveLiveActivitiesCapable: input.interactiveLiveActivitiesCapable ?? false,
  };
}
