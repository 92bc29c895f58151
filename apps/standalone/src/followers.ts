import { followers, modules } from './services';
import { runServices } from '@carillon/runtime';

// The second process of a standalone with two.
process.title = 'carillon followers';
await runServices(
  'followers',
  followers.map((name) => ({ name, module: modules[name] })),
);
