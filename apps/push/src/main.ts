import { runService } from '@carillon/runtime';
import { PushModule } from './push.module';

await runService({ name: 'push', module: PushModule });
