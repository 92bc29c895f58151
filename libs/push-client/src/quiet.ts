/** What the answer says of the devices that quiet hours have left out: they are not among `accepted`. */
export const saidOfQuiet = (quiet: number): string =>
  quiet === 1 ? 'Quiet hours: one device was not rung.' : `Quiet hours: ${quiet} devices were not rung.`;
