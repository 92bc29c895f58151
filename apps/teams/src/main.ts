import { runService } from '@carillon/runtime';
import { TeamsModule } from './teams.module';

await runService({ name: 'teams', module: TeamsModule });
