import { runService } from '@carillon/service';
import { ActivitiesModule } from './activities.module';

await runService({ name: 'activities', module: ActivitiesModule });
