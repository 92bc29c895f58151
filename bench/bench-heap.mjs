// Loaded before a program of the benchmark by `--import=…?folder=…`: SIGUSR2 makes it write what its heap holds, and for how
// long its event loop has been busy and idle.
import { writeFileSync } from 'node:fs';

const folder = new URL(import.meta.url).searchParams.get('folder');
process.on('SIGUSR2', () =>
  writeFileSync(
    `${folder}/${process.pid}.json`,
    JSON.stringify({ ...process.memoryUsage(), loop: performance.eventLoopUtilization() }),
  ),
);
