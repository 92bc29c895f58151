import { isDeepStrictEqual } from 'node:util';

/** Overlays whose rendered file holds only what they change of another overlay. */
export const patchedOverlays = { ha: 'production' };

const keyOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON merge patch (RFC 7386) that makes one value of another. */
function patchBetween(from, to) {
  if (!isObject(from) || !isObject(to)) return to;
  const changed = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (name) => !isDeepStrictEqual(from[name], to[name]),
  );
  return Object.fromEntries(
    changed.map((name) => [name, name in to ? patchBetween(from[name], to[name]) : null]),
  );
}

function patched(value, patch) {
  if (!isObject(patch)) return patch;
  const all = isObject(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch))
    if (change === null) delete all[name];
    else all[name] = patched(all[name], change);
  return all;
}

/** What `to` changes of `from`: a merge patch for each manifest that differs, with its kind and name. */
export function patchesBetween(from, to) {
  const before = new Map(from.map((manifest) => [keyOf(manifest), manifest]));
  const patches = to.flatMap((manifest) => {
    const old = before.get(keyOf(manifest));
    if (!old) return [manifest];
    const { metadata, ...rest } = patchBetween(old, manifest);
    const { kind } = manifest;
    if (!metadata && Object.keys(rest).length === 0) return [];
    return [{ kind, metadata: { ...metadata, name: manifest.metadata.name }, ...rest }];
  });
  if (!isDeepStrictEqual(sorted(patchedManifests(from, patches)), sorted(to)))
    throw new Error(
      'merge patches cannot say the difference: manifests are removed, or have null as a value',
    );
  return patches;
}

/** The manifests with the patches merged into them; those that are new come last. */
export function patchedManifests(manifests, patches) {
  const changes = new Map(patches.map((patch) => [keyOf(patch), patch]));
  const known = new Set(manifests.map(keyOf));
  return [
    ...manifests.map((manifest) => patched(manifest, changes.get(keyOf(manifest)) ?? {})),
    ...patches.filter((patch) => !known.has(keyOf(patch))),
  ];
}

const sorted = (manifests) => [...manifests].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
