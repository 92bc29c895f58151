import { runService } from '@carillon/runtime';
import { ConnectorsModule } from './connectors.module';

await runService({ name: 'connectors', module: ConnectorsModule });
