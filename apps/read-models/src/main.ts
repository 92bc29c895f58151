import { runService } from '@carillon/runtime';
import { ReadModelsModule } from './read-models.module';

await runService({ name: 'read-models', module: ReadModelsModule });
