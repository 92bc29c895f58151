import { runService } from '@carillon/runtime';
import { ActivitiesModule } from './activities.module';

await runService({ name: 'activities', module: ActivitiesModule });
