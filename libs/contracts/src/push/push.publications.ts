import { record } from '../published/record';
import { count, flag, id, instant, listOf, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import { platforms, pushEnvironments, type PushReceipt } from './push.contracts';
import type {
  DeliveryEvent,
  DeviceEvent,
  DeviceSeen,
  DeviceSessionBound,
  PushReceiptsNoted,
  QuietHoursSet,
} from './push.events';

export const pushPublications: Publications<
  DeliveryEvent | PushReceiptsNoted | DeviceEvent | DeviceSeen | DeviceSessionBound | QuietHoursSet
> = {
  QuietHoursSet: unpublished,
  PushReported: {
    name: 'push.delivery.reported',
    id: 'subjectId',
    time: 'reportedAt',
    summary:
      'What the providers have said of a push so far (500 receipts at most); `final` when there is nothing more to come.',
    data: {
      subjectId: id,
      accountId: id,
      accepted: count,
      receipts: listOf(
        record<PushReceipt>({
          id,
          deviceId: id,
          status: oneOf('pending', 'accepted', 'error', 'unknown'),
          checkedAt: nullable(instant),
        }),
      ),
      final: flag,
      reportedAt: instant,
    },
  },
  PushCleared: {
    name: 'push.delivery.cleared',
    id: 'subjectId',
    time: 'clearedAt',
    summary: 'A push was removed from the devices that it had reached, as far as the providers say.',
    data: { subjectId: id, accountId: id, reached: count, cleared: count, clearedAt: instant },
  },
  DeviceRegistered: {
    name: 'push.device.registered',
    id: 'deviceId',
    time: 'registeredAt',
    summary: 'A device registered, for the first time or again.',
    data: {
      deviceId: id,
      accountId: id,
      platform: oneOf(...platforms),
      pushEnvironment: oneOf(...pushEnvironments),
      liveActivitiesCapable: flag,
      interactiveLiveActivitiesCapable: flag,
      registeredAt: instant,
    },
  },
  DeviceTokensChanged: {
    name: 'push.device.tokens-changed',
    id: 'deviceId',
    time: 'changedAt',
    summary: 'A device has other push tokens.',
    data: { deviceId: id, accountId: id, environment: oneOf(...pushEnvironments), changedAt: instant },
  },
  DeviceDeactivated: {
    name: 'push.device.deactivated',
    id: 'deviceId',
    time: 'deactivatedAt',
    summary: 'A device gets no more pushes until it registers again.',
    data: {
      deviceId: id,
      accountId: id,
      reason: oneOf('unregistered', 'bad_token', 'moved', 'removed'),
      deactivatedAt: instant,
    },
  },
  DeviceSeen: unpublished,
  DeviceSessionBound: unpublished,
  PushReceiptsNoted: unpublished,
};
