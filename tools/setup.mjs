// Brings a fresh checkout to where the other commands can start: the locked dependencies installed.
// Uses nothing but Node itself, since it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** In an image there are no sources: everything was installed and built when it was made. */
export const isImage = !existsSync(join(root, 'apps'));

/** Installs with `npm ci` when node_modules is missing or was installed from another lock file. */
export async function installDependencies() {
  if (isImage) return;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Carillon needs Node 20.19 or newer; this is ${process.versions.node}.`);
    process.exit(1);
  }
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const lock = createHash('sha256').update(lockFile).digest('hex');
  const stamp = join(root, 'node_modules', '.carillon-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  if (isInstalled(JSON.parse(lockFile))) return writeFileSync(stamp, lock);

  const started = Date.now();
  console.log('dependencies   installing (npm ci) …');
  if ((await npmCi()) !== 0) {
    console.error('dependencies   npm ci ended with an error; once more …');
    if ((await npmCi()) !== 0) {
      console.error(
        'dependencies   failed: npm ci ended with an error (see above). Is the npm registry reachable?',
      );
      process.exit(1);
    }
  }
  writeFileSync(stamp, lock);
  console.log(`dependencies   installed in ${seconds(started)}`);
}

/** True when npm itself wrote down, as its last step of an install, exactly what the lock file asks for. */
function isInstalled(lock) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(lock.packages).every(
    ([path, { version, integrity, optional }]) =>
      path === '' ||
      (installed[path]
        ? installed[path].version === version && installed[path].integrity === integrity
        : optional),
  );
}

/** Ends with npm's exit code. A signal goes to npm too, so that it is not left working behind our back. */
function npmCi() {
  return new Promise((resolve) => {
    const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const stop = (signal) => {
      npm.kill(signal);
      npm.once('close', () => process.exit(1));
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
    npm.once('error', (error) => {
      console.error(`dependencies   npm cannot be run: ${error.message}`);
      process.exit(1);
    });
    npm.once('close', (code) => {
      process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
      resolve(code);
    });
  });
}

/** The time since `started`, for a person. */
export const seconds = (started) => `${((Date.now() - started) / 1000).toFixed(1)} s`;
