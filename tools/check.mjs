// npm run check: format, lint, boundaries, types, cycles and the fast tests. What to run before every commit.
import { installDependencies } from './setup.mjs';
import { checks, tier } from './steps.mjs';

await installDependencies();
process.exit((await checks()) && (await tier('spec')) ? 0 : 1);
