import { runService } from '@carillon/service';
import { InteractionsModule } from './interactions.module';

await runService({ name: 'interactions', module: InteractionsModule });
