import './services';
import { logger, migrateAll } from '@carillon/runtime';

// Before a rollout: the tables of every service, and nothing else. The services would do it themselves at their start;
// here a migration that fails stops the rollout instead of a replica.
const target = logger('migrate');
await migrateAll((service) => target.info({ migrated: service }, 'Migrations are up to date'));
