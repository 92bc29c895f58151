import { runService } from '@carillon/service';
import { ReadModelsModule } from './read-models.module';

await runService({ name: 'read-models', module: ReadModelsModule });
