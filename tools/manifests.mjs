// node tools/manifests.mjs: renders the chart with each file of k8s/values, and what is applied beside it, into k8s/rendered,
// where reviewers and the spec read it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { patchedOverlays, patchesBetween } from './manifest-patches.mjs';
import { besides, overlays, renderedChart } from './overlays.mjs';
import { root } from './setup.mjs';

const folder = join(root, 'k8s/rendered');
mkdirSync(folder, { recursive: true });
for (const name of [...overlays, ...besides]) {
  const from = patchedOverlays[name];
  const note = from ? `# What ${name} changes of ${from}.yaml: a JSON merge patch for each manifest.\n` : '';
  const manifests = from ? patchesBetween(renderedChart(from), renderedChart(name)) : renderedChart(name);
  const text = manifests.map((manifest) => dump(manifest, { lineWidth: 110, noRefs: true })).join('---\n');
  const head = '# Made by `node tools/manifests.mjs`: not to be edited.\n';
  writeFileSync(join(folder, `${name}.yaml`), head + note + text);
}
