import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf } from './failure';

/** Writes a JSON file that only this user can read, whole or not at all. */
export const writePrivate = (file: string, content: unknown): void =>
  writePrivateText(file, `${JSON.stringify(content, null, 2)}\n`);

/** Writes a file that only this user can read, whole or not at all. */
export function writePrivateText(file: string, text: string): void {
  const beside = `${file}.${process.pid}`;
  rmSync(beside, { force: true });
  writeFileSync(beside, text, { mode: 0o600, flag: 'wx' });
  renameSync(beside, file);
}

/** What `writePrivate` wrote; undefined when there is none. */
export function readPrivate<Content>(file: string): Content | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Content;
  } catch (error) {
    throw new Error(`${file} is damaged: it is no JSON`, { cause: error });
  }
}
