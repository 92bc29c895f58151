import { runService } from '@carillon/runtime';
import { AccountsModule } from './accounts.module';

await runService({ name: 'accounts', module: AccountsModule });
