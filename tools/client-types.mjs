// node tools/client-types.mjs [--check]: writes the types of libs/client from docs/openapi. With --check it writes
// nothing, and fails where they differ: a step of `npm run check`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { root } from './setup.mjs';

const target = (name) => join(root, 'libs/client/src/generated', `${name}.d.ts`);

/**
 * What a caller's types need of a description: every error answer is an `ApiError`, and headers are read from the
 * answer itself. With them the types would be three times as long.
 */
function condensed(document) {
  for (const item of Object.values(document.paths))
    for (const operation of Object.values(item)) {
      const answers = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'));
      operation.responses = Object.fromEntries(
        answers.map(([status, { headers: _headers, ...answer }]) => [status, answer]),
      );
    }
  for (const schema of Object.values(document.components.schemas)) withoutRules(schema);
  delete document.components.responses;
  delete document.components.headers;
  return document;
}

/** A rule between the fields of an object stands beside them, and no type can say it. */
function withoutRules(schema) {
  if (schema === null || typeof schema !== 'object') return;
  if (schema.properties) delete schema.allOf;
  for (const each of Object.values(schema)) withoutRules(each);
}

async function typesOf(name) {
  const document = load(readFileSync(join(root, 'docs/openapi', `${name}.yaml`), 'utf8'));
  const nodes = await openapiTypescript(condensed(document), { alphabetize: false });
  return `// Written by tools/client-types.mjs from docs/openapi/${name}.yaml.\n\n${astToString(nodes)}`;
}

/** Resolves to the files that were not up to date. */
export async function writeClientTypes({ check = false } = {}) {
  const stale = [];
  for (const name of ['agent', 'session']) {
    const types = await typesOf(name);
    let before;
    try {
      before = readFileSync(target(name), 'utf8');
    } catch {
      before = '';
    }
    if (types === before) continue;
    stale.push(`libs/client/src/generated/${name}.d.ts`);
    if (!check) writeFileSync(target(name), types);
  }
  return stale;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const stale = await writeClientTypes({ check });
  for (const file of stale) console.log(check ? `${file} differs: run node tools/openapi.mjs` : file);
  process.exit(check && stale.length > 0 ? 1 : 0);
}
