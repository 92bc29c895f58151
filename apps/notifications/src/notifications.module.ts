import { isSet, ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { EchoHandlers } from './bench/echo.handlers';
import { NotificationHandlers } from './notification/notification.handlers';
import { Outcomes } from './notification/outcome.handlers';

@Module({
  imports: [ServiceModule.for({ name: 'notifications' })],
  controllers: [NotificationHandlers, ...(isSet('CARILLON_BENCH') ? [EchoHandlers] : [])],
  providers: [Outcomes],
})
export class NotificationsModule {}
