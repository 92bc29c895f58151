import { runService } from '@carillon/service';
import { NotificationsModule } from './notifications.module';

await runService({ name: 'notifications', module: NotificationsModule });
