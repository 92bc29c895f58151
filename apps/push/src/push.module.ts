import { LOGGER, type Logger, ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { DeliveriesProcess } from './delivery/deliveries.process';
import { DeliveryHandlers } from './delivery/delivery.handlers';
import { DeliveryWorker } from './delivery/delivery.worker';
import { Sender } from './delivery/sender.worker';
import { DeviceHandlers } from './device/device.handlers';
import { DevicesProjection } from './device/devices.projection';
import { Push1763683200001 } from './migrations/1-push';
import { Prompts1763683200002 } from './migrations/2-prompts';
import { Owner } from './owner/owner.worker';
import { Ways } from './transport/ways';

@Module({
  imports: [
    ServiceModule.for({
      name: 'push',
      migrations: [Push1763683200001, Prompts1763683200002],
      projections: [DevicesProjection, DeliveriesProcess],
      providers: [
        { provide: Ways, useFactory: (logger: Logger) => Ways.open(logger), inject: [LOGGER] },
        Sender,
        Owner,
        DeliveryWorker,
      ],
    }),
  ],
  controllers: [DeviceHandlers, DeliveryHandlers],
})
export class PushModule {}
