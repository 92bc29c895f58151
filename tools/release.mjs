// node tools/release.mjs <version> --out=<folder> [--key=<file>] [--dry-run]: sets the version everywhere, dates the part
// of CHANGELOG.md, commits and tags. Of that commit it makes the source, the chart, the command line, the bill of materials (SBOM) of what
// runs, the checksums, and a statement of where they came from (provenance), signed when a private Ed25519 key (PEM) is
// given. A dry run makes them of the commit that is checked out, and changes nothing.
import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandLine } from './build.mjs';
import * as catalogue from './event-catalogue.mjs';
import { root } from './setup.mjs';

/** Files that name the version, and what is before and after it there. `package-lock.json` names it twice. */
const named = [
  ['package.json', /("version": ")[^"]+(")/],
  ['package-lock.json', /("name": "carillon",\s+"version": ")[^"]+(")/g],
  ['k8s/chart/Chart.yaml', /(^version: )\S+()/m],
  ['k8s/chart/Chart.yaml', /(^appVersion: )\S+()/m],
  ['deploy/Dockerfile', /(^ARG VERSION=)\S+()/m],
  ['deploy/compose.yaml', /(carillon(?:-standalone)?:)\d+\.\d+\.\d+\S*?()$/gm],
  ['deploy/compose.full.yaml', /(carillon(?:-standalone)?:)\d+\.\d+\.\d+\S*?()$/gm],
  ['apps/connector-gateway/src/program.ts', /(connector-gateway\/)[^']+(')/],
  ['docs/deployment.md', /(--tag carillon(?:-standalone)?:)\S+()/g],
];
const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

class Refused extends Error {}

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 30 }).trim();
const text = (file) => readFileSync(join(root, file), 'utf8');

/** Whether one version comes after another, both as numbers with two dots. */
function isAfter(one, other) {
  const [a, b] = [one, other].map((each) => each.split('.').map(Number));
  const at = a.findIndex((number, index) => number !== b[index]);
  return at >= 0 && a[at] > b[at];
}

function read(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { out: { type: 'string' }, key: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  });
  const [version, ...others] = positionals;
  if (version === undefined || others.length > 0 || values.out === undefined)
    throw new Refused('usage: node tools/release.mjs <version> --out=<folder> [--key=<file>] [--dry-run]');
  if (!form.test(version)) throw new Refused(`"${version}" is no version such as 1.2.3`);
  return {
    version,
    out: resolve(values.out),
    key: values.key && createPrivateKey(readFileSync(values.key)),
    dryRun: values['dry-run'] ?? false,
  };
}

/** The part of what is not released yet. */
function changesIn(changelog) {
  const [, changes = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
  if (changes.trim() === '') throw new Refused('CHANGELOG.md says nothing under "## Unreleased"');
  return changes.trim();
}

function check({ version, dryRun }) {
  const current = JSON.parse(text('package.json')).version;
  const tags = git('tag', '--list', 'v*').split('\n').filter(Boolean);
  if (tags.includes(`v${version}`)) throw new Refused(`v${version} has been released`);
  // The first release has the version that the files name already.
  if (!isAfter(version, current) && !(version === current && tags.length === 0))
    throw new Refused(`${version} does not come after ${current}`);
  if (!dryRun && git('status', '--porcelain') !== '')
    throw new Refused('there are changes that are not committed');
}

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Where the files came from, as SLSA has it: https://slsa.dev/spec/v1.1/provenance */
const provenance = (version, commit, files) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: files.map(([name, bytes]) => ({ name, digest: { sha256: digest(bytes) } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'urn:carillon:release:1',
      externalParameters: { version },
      resolvedDependencies: [
        { name: 'source', digest: { gitCommit: commit } },
        { name: 'package-lock.json', digest: { sha256: digest(text('package-lock.json')) } },
      ],
    },
    runDetails: {
      builder: { id: 'urn:carillon:tools/release.mjs', version: { node: process.versions.node } },
      metadata: { finishedOn: new Date().toISOString() },
    },
  },
});

/** A DSSE envelope: https://github.com/secure-systems-lab/dsse */
function envelope(statement, key) {
  const payloadType = 'application/vnd.in-toto+json';
  const payload = Buffer.from(JSON.stringify(statement));
  const signatures = [];
  if (key) {
    const head = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `;
    const sig = sign(null, Buffer.concat([Buffer.from(head), payload]), key).toString('base64');
    const keyid = digest(createPublicKey(key).export({ format: 'der', type: 'spki' }));
    signatures.push({ keyid, sig });
  }
  return { payloadType, payload: payload.toString('base64'), signatures };
}

async function make({ version, out, key }, changes) {
  const commit = git('rev-parse', 'HEAD');
  const archive = (prefix, ...paths) =>
    execFileSync('git', ['archive', '--format=tar.gz', `--prefix=${prefix}`, ...paths], {
      cwd: root,
      maxBuffer: 2 ** 30,
    });
  const sbom = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    }),
  );
  Object.assign(sbom.metadata.component, { name: 'carillon', version });
  const files = [
    [`carillon-${version}.tar.gz`, archive(`carillon-${version}/`, commit)],
    [`carillon-chart-${version}.tgz`, archive('carillon/', `${commit}:k8s/chart`)],
    [`carillon-${version}.mjs`, Buffer.from(await commandLine())],
    [`carillon-${version}.cdx.json`, Buffer.from(JSON.stringify(sbom, null, 2))],
    [`CHANGES-${version}.md`, Buffer.from(`${changes}\n`)],
  ];
  mkdirSync(out, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(out, name), bytes);
  const sums = files.map(([name, bytes]) => `${digest(bytes)}  ${name}\n`).join('');
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  const statement = envelope(provenance(version, commit, files), key);
  writeFileSync(join(out, `carillon-${version}.intoto.json`), JSON.stringify(statement));
  return { commit, sums };
}

function write({ version }) {
  for (const [file, pattern] of named) {
    const before = text(file);
    if (before.search(pattern) < 0) throw new Error(`${file} names no version`);
    writeFileSync(join(root, file), before.replace(pattern, `$1${version}$2`));
  }
  catalogue.write(catalogue.releasedAs(version, catalogue.upToDate()));
  const today = new Date().toISOString().slice(0, 10);
  const heading = `## Unreleased\n\n## ${version}, ${today}\n`;
  writeFileSync(join(root, 'CHANGELOG.md'), text('CHANGELOG.md').replace('## Unreleased\n', heading));
  execFileSync(process.execPath, ['tools/manifests.mjs'], { cwd: root, stdio: 'inherit' });
}

async function release(args) {
  const options = read(args);
  check(options);
  const changes = changesIn(text('CHANGELOG.md'));
  if (!options.dryRun) {
    write(options);
    git('commit', '--all', '--quiet', '--message', `Release ${options.version}`);
    git('tag', '--annotate', '--message', `Carillon ${options.version}`, `v${options.version}`);
  }
  const { commit, sums } = await make(options, changes);
  console.log(
    sums + `made of ${commit} in ${options.out}${options.dryRun ? '; a dry run: nothing is tagged' : ''}`,
  );
}

try {
  await release(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exit(2);
}
