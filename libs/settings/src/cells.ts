import { setting, settingOf } from './settings';

const form = /^[0-9A-Za-z]$/;

/** The cell of this installation, one base62 character, which every secret that it makes names. */
export function cell(): string {
  const name = setting('CARILLON_CELL', '0');
  if (!form.test(name))
    throw new Error(`The setting CARILLON_CELL must be one letter or digit, not "${name}"`);
  return name;
}

/** The base URL of each other cell, from `1=https://one.example 2=https://two.example`. */
export function otherCells(): ReadonlyMap<string, URL> {
  const entries = (settingOf('CARILLON_CELLS') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return new Map(entries.map(cellOf).filter(([name]) => name !== cell()));
}

function cellOf(entry: string): [string, URL] {
  const [name = '', address = ''] = entry.split(/=(.*)/s);
  const url = URL.parse(address);
  if (!form.test(name) || !url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new Error(
      `The setting CARILLON_CELLS must be entries such as 1=https://carillon.example.com, not "${entry}"`,
    );
  return [name, url];
}
