/** Put in by tools/build.mjs. */
declare const CARILLON_VERSION: string;

// Who read the output has seen enough of it.
process.stdout.on('error', () => process.exit(0));
const [, , ...words] = process.argv;
if (words.length === 1 && words[0] === '--version') process.stdout.write(`${CARILLON_VERSION}\n`);
else {
  // All that commands are made of, which takes as long as Node itself: the version needs none of it.
  const { run } = await import('./run');
  process.exit(await run(process.env, CARILLON_VERSION));
}

// The file is a module.
export {};
