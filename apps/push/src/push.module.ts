import { Destinations } from '@carillon/destinations';
import { LOGGER, type Logger, ServiceModule, setting } from '@carillon/runtime';
import { KeyRing } from '@carillon/signing';
import { Module } from '@nestjs/common';
import { Attempts } from './delivery/attempts.service';
import { DeliveriesProcess } from './delivery/deliveries.process';
import { DeliveryHandlers } from './delivery/delivery.handlers';
import { DeliveryWorker } from './delivery/delivery.worker';
import { EndedPushRows } from './delivery/ended-rows.service';
import { People } from './delivery/people.client';
import { Reports } from './delivery/reports.service';
import { PushSender } from './delivery/sender.client';
import { DeviceHandlers } from './device/device.handlers';
import { DeviceReachHandlers } from './device/device-reach.handlers';
import { DevicesProjection } from './device/devices.projection';
import { ForgottenDevices } from './device/forgotten-devices.worker';
import { DeviceOwnerHandlers } from './device/device-owner.handlers';
import { QuietHoursHandlers } from './device/quiet-hours.handlers';
import { WebPushHandlers } from './device/web-push.handlers';
import { Addresses } from './lane/addresses.service';
import { Contents } from './lane/contents.service';
import { LaneCleanup } from './lane/lane-cleanup.service';
import { LaneHandlers } from './lane/lane.handlers';
import { LaneWorker } from './lane/lane.worker';
import { LanesProcess } from './lane/lanes.process';
import { firstRelease } from './migrations/1-first-release';
import { Credentials } from './transport/credentials';
import { TransportsHandlers } from './transport/transports.handlers';

@Module({
  imports: [
    ServiceModule.for({
      name: 'push',
      migrations: [firstRelease],
      projections: [DevicesProjection, DeliveriesProcess, LanesProcess],
      queues: [DeliveryWorker, LaneWorker, ForgottenDevices],
      providers: [
        {
          provide: Credentials,
          useFactory: (logger: Logger, ring: KeyRing, destinations: Destinations) =>
            Credentials.open(logger, ring, destinations),
          inject: [LOGGER, KeyRing, Destinations],
        },
        { provide: Destinations, useFactory: () => new Destinations(setting('WEB_PUSH_ORIGIN', '')) },
        PushSender,
        Attempts,
        People,
        Reports,
        Contents,
        Addresses,
      ],
    }),
  ],
  controllers: [
    TransportsHandlers,
    DeviceHandlers,
    DeviceOwnerHandlers,
    DeviceReachHandlers,
    QuietHoursHandlers,
    WebPushHandlers,
    DeliveryHandlers,
    LaneHandlers,
  ],
  providers: [EndedPushRows, LaneCleanup],
})
export class PushModule {}
