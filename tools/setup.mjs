// Brings a fresh checkout to where the other commands can start: the locked dependencies installed.
// Uses nothing but Node itself, since it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs with `npm ci` when a package is missing in node_modules, or it was installed from another lock file. */
export async function installDependencies() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Carillon needs Node 20.19 or newer; this is ${process.versions.node}.`);
    process.exit(1);
  }
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const lock = JSON.parse(lockFile);
  const hash = createHash('sha256').update(lockFile).digest('hex');
  const stamp = join(root, 'node_modules', '.carillon-lock');
  if (missingOf(lock).length === 0) {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
    if (isRecorded(lock)) return writeFileSync(stamp, hash);
  }

  const started = Date.now();
  console.error('dependencies   installing (npm ci) …');
  if ((await npmCi()) !== 0) {
    console.error('dependencies   npm ci ended with an error; once more …');
    if ((await npmCi()) !== 0) {
      console.error(
        'dependencies   failed: npm ci ended with an error (see above). Is the npm registry reachable?',
      );
      process.exit(1);
    }
  }
  const missing = missingOf(lock);
  if (missing.length > 0) {
    console.error(
      `dependencies   failed: npm ci left out ${missing.length} packages, such as ${missing[0]}. Does a .npmrc say so?`,
    );
    process.exit(1);
  }
  writeFileSync(stamp, hash);
  console.error(`dependencies   installed in ${seconds(started)}`);
}

/** The packages that are not there though every platform needs them; those of tests and of the build count too. */
const missingOf = ({ packages }) =>
  Object.entries(packages)
    .filter(([path, { optional, link }]) => path !== '' && !optional && !link)
    .map(([path]) => path)
    .filter((path) => !existsSync(join(root, path, 'package.json')));

/** True when npm itself wrote down, as its last step of an install, exactly what the lock file asks for. */
function isRecorded(lock) {
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

const ci = [
  ...['ci', '--no-audit', '--no-fund', '--loglevel=error'],
  // What compiles is a development package. To name a kind here wins over leaving it out, wherever that was said.
  ...['--include=dev', '--include=optional', '--include=peer'],
];

/**
 * The caller's environment without what decides which packages are installed, and where to: that is the lock file's to
 * say. Registry, proxy, cache and the like are the caller's.
 */
function npmEnvironment(env) {
  const deciding =
    /^(node_env|npm_config_(omit|include|production|only|also|dev|optional|global|location|prefix|dry_run|package_lock|package_lock_only|install_strategy|install_links|global_style|legacy_bundling|os|cpu|libc|workspaces?|include_workspace_root))$/i;
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !deciding.test(name.replaceAll('-', '_'))),
  );
}

/** Ends with npm's exit code. A signal goes to npm too, so that it is not left working behind our back. */
function npmCi() {
  return new Promise((resolve) => {
    const npm = spawn('npm', [...ci], {
      cwd: root,
      env: npmEnvironment(process.env),
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
