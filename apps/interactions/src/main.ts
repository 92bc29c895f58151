import { runService } from '@carillon/runtime';
import { InteractionsModule } from './interactions.module';

await runService({ name: 'interactions', module: InteractionsModule });
