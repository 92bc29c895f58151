import { findProgram } from './system-package';

/** The file of a Chromium: from PATH, or as a system package. Throws an error with the manual steps when none works. */
export const findBrowser = (): Promise<string> =>
  findProgram({
    what: 'Chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    packages: ['chromium', 'fonts-dejavu-core'],
  });
