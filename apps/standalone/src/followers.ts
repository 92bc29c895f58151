import { followers, modules } from './services';
import { runServices } from '@carillon/runtime';

// The second process of a standalone with two.
process.title = 'carillon followers';
await runServices(
  'followers',
  followers.map((name) => ({ name, module: modules[name] })),
);
// Whatever LOG_LEVEL is: the first process waits for it.
process.stdout.write(`${JSON.stringify({ msg: 'Followers ready' })}\n`);
