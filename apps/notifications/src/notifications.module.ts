import { isSet, ServiceModule } from '@carillon/service';
import { Module } from '@nestjs/common';
import { EchoHandlers } from './bench/echo.handlers';
import { NotificationHandlers } from './notification/notification.handlers';
import { Outcomes } from './notification/outcomes';

@Module({
  imports: [ServiceModule.for({ name: 'notifications' })],
  controllers: [NotificationHandlers, ...(isSet('CARILLON_BENCH') ? [EchoHandlers] : [])],
  providers: [Outcomes],
})
export class NotificationsModule {}
