// Which stories of the tier e2e are told by a standalone alone, and why: CARILLON_HOUSE=cluster tells all others.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const ofStandalone = {
  'apps/standalone/src/standalone.e2e.spec.ts':
    'what `npm start` prints, writes and leaves, and how it goes on after a crash',
  'apps/standalone/src/costs/costs.e2e.spec.ts':
    'counts what one process asks of NATS and Postgres; on a closed bus nobody may listen to all of it',
  'apps/standalone/src/processes.e2e.spec.ts': 'a cluster has more processes anyway',
  'apps/standalone/src/guides.e2e.spec.ts': 'the guides begin with `npm start`, and back up what it keeps',
};

/** For jest: the files that a cluster does not tell. */
export function notOfCluster() {
  const files = Object.keys(ofStandalone);
  const gone = files.filter((file) => !existsSync(join(root, file)));
  if (gone.length > 0) throw new Error(`tools/jest-cluster.mjs names what is not there: ${gone.join(', ')}`);
  return files;
}
