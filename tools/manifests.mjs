// node tools/manifests.mjs: builds each overlay of k8s/, and k8s/operator, with `kubectl kustomize` (1.27 or later:
// Debian's own is older in some releases) and writes what comes of it to k8s/rendered, where reviewers and the spec read
// it. The spec fails while the sources are not those that were built, so it needs no kubectl itself.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dump, loadAll } from 'js-yaml';
import { patchedOverlays, patchesBetween } from './manifest-patches.mjs';
import { manifestSources } from './manifest-sources.mjs';
import { root } from './setup.mjs';

const hash = manifestSources(join(root, 'k8s'));

mkdirSync(join(root, 'k8s/rendered'), { recursive: true });
const overlays = readdirSync(join(root, 'k8s/overlays')).map((name) => `overlays/${name}`);
const built = new Map();
for (const source of ['operator', ...overlays]) {
  const { status, stdout, stderr, error } = spawnSync('kubectl', ['kustomize', `k8s/${source}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) {
    console.error(`${source}: ${error?.message ?? stderr}`);
    process.exit(1);
  }
  built.set(basename(source), stdout);
}
for (const [name, text] of built) {
  const from = patchedOverlays[name];
  const [note, body] = from
    ? [
        `# What ${name} changes of ${from}.yaml: a JSON merge patch for each manifest.\n`,
        patchesOf(built.get(from), text),
      ]
    : ['', text];
  const head = `# Made by \`node tools/manifests.mjs\`: not to be edited. Sources: sha256 ${hash}\n`;
  writeFileSync(join(root, 'k8s/rendered', `${name}.yaml`), head + note + body);
}

function patchesOf(from, to) {
  const patches = patchesBetween(loadAll(from), loadAll(to));
  return patches.map((patch) => dump(patch, { lineWidth: 110 })).join('---\n');
}
