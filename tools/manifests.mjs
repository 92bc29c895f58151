// node tools/manifests.mjs: builds each overlay of k8s/, and k8s/operator, with `kubectl kustomize` (1.27 or later:
// Debian's own is older in some releases) and writes what comes of it to k8s/rendered, where reviewers and the spec read
// it. The spec fails while the sources are not those that were built, so it needs no kubectl itself.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { manifestSources } from './manifest-sources.mjs';
import { root } from './setup.mjs';

const hash = manifestSources(join(root, 'k8s'));

mkdirSync(join(root, 'k8s/rendered'), { recursive: true });
const overlays = readdirSync(join(root, 'k8s/overlays')).map((name) => `overlays/${name}`);
for (const source of ['operator', ...overlays]) {
  const { status, stdout, stderr, error } = spawnSync('kubectl', ['kustomize', `k8s/${source}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) {
    console.error(`${source}: ${error?.message ?? stderr}`);
    process.exit(1);
  }
  const head = `# Made by \`node tools/manifests.mjs\`: not to be edited. Sources: sha256 ${hash}\n`;
  writeFileSync(join(root, 'k8s/rendered', `${basename(source)}.yaml`), head + stdout);
}
