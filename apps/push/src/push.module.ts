import { LOGGER, type Logger, ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { Attempts } from './delivery/attempts.service';
import { DeliveriesProcess } from './delivery/deliveries.process';
import { DeliveryHandlers } from './delivery/delivery.handlers';
import { DeliveryWorker } from './delivery/delivery.worker';
import { Reports } from './delivery/reports.service';
import { PushSender } from './delivery/sender.client';
import { DeviceHandlers } from './device/device.handlers';
import { DeviceReachHandlers } from './device/device-reach.handlers';
import { DevicesProjection } from './device/devices.projection';
import { DeviceOwnerHandlers } from './device/device-owner.handlers';
import { Addresses } from './lane/addresses.service';
import { Contents } from './lane/contents.service';
import { LaneHandlers } from './lane/lane.handlers';
import { LaneWorker } from './lane/lane.worker';
import { LanesProcess } from './lane/lanes.process';
import { Push1763683200001 } from './migrations/1-push';
import { Prompts1763683200002 } from './migrations/2-prompts';
import { Lanes1763683200003 } from './migrations/3-lanes';
import { DeadLetters1763683200004 } from './migrations/4-dead-letters';
import { Recipients1763769600005 } from './migrations/5-recipients';
import { Paged1763769600006 } from './migrations/6-paged';
import { DeadLetterRecipients1763856000007 } from './migrations/7-dead-letter-recipients';
import { Credentials } from './transport/credentials';

@Module({
  imports: [
    ServiceModule.for({
      name: 'push',
      migrations: [
        Push1763683200001,
        Prompts1763683200002,
        Lanes1763683200003,
        DeadLetters1763683200004,
        Recipients1763769600005,
        Paged1763769600006,
        DeadLetterRecipients1763856000007,
      ],
      projections: [DevicesProjection, DeliveriesProcess, LanesProcess],
      queues: [DeliveryWorker, LaneWorker],
      providers: [
        { provide: Credentials, useFactory: (logger: Logger) => Credentials.open(logger), inject: [LOGGER] },
        PushSender,
        Attempts,
        Reports,
        Contents,
        Addresses,
      ],
    }),
  ],
  controllers: [DeviceHandlers, DeviceOwnerHandlers, DeviceReachHandlers, DeliveryHandlers, LaneHandlers],
})
export class PushModule {}
