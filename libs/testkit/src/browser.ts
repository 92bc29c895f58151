import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { end, tie } from './child';
import { findProgram } from './system-package';

/** The file of a Chromium: from PATH, or as a system package. Throws an error with the manual steps when none works. */
export const findBrowser = (): Promise<string> =>
  findProgram({
    what: 'Chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    packages: ['chromium', 'fonts-dejavu-core'],
  });

/** The same of a Firefox. */
export const findFirefox = (): Promise<string> =>
  findProgram({
    what: 'Firefox',
    names: ['firefox-esr', 'firefox'],
    packages: ['firefox-esr', 'fonts-dejavu-core'],
  });

/** A screen in memory: without one Firefox shows no notification. */
export async function startDisplay(): Promise<{ readonly name: string; stop(): Promise<void> }> {
  const file = await findProgram({ what: 'Xvfb', names: ['Xvfb'], packages: ['xvfb'] });
  // It writes the number of the first free display to the third descriptor.
  const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [output] = child.stdio.slice(3);
  if (!output) throw new Error('Xvfb has no third descriptor');
  const number = await Promise.race([
    once(output, 'data').then(([data]) => String(data).trim()),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`Xvfb ended with ${String(code)}`))),
  ]);
  tie(child);
  return { name: `:${number}`, stop: () => end(child) };
}
