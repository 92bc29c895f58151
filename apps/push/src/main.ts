import { runService } from '@carillon/service';
import { PushModule } from './push.module';

await runService({ name: 'push', module: PushModule });
