import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sha256, in hex, of what the rendered manifests are made from, by the folder `k8s`. */
export function manifestSources(k8s) {
  const sources = createHash('sha256');
  for (const file of readdirSync(k8s, { recursive: true, encoding: 'utf8' }).sort())
    if (/^(base|operator|overlays)\/.*\.(ya?ml|conf)$/.test(file))
      sources.update(`${file}\n`).update(readFileSync(join(k8s, file)));
  return sources.digest('hex');
}
