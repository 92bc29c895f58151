import { dirname, join } from 'node:path';

/** The nearest folder above that has the workspace's file: the checkout, from sources and from dist/ alike. */
export function checkoutOf(folder: string, exists: (file: string) => boolean): string {
  for (let at = folder; ; at = dirname(at)) {
    if (exists(join(at, 'nx.json'))) return at;
    if (at === dirname(at)) throw new Error(`no checkout above ${folder}`);
  }
}
