import { runService } from '@carillon/service';
import { AccountsModule } from './accounts.module';

await runService({ name: 'accounts', module: AccountsModule });
