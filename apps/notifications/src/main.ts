import { runService } from '@carillon/runtime';
import { NotificationsModule } from './notifications.module';

await runService({ name: 'notifications', module: NotificationsModule });
