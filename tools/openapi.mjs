// Writes docs/openapi from the gateway's tables, and the types of libs/client from docs/openapi: node tools/openapi.mjs.
// A spec and a step of `npm run check` fail where the copies differ.
// Of the two forms in which the gateway serves each, YAML is the one that people read and compare.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { writeClientTypes } from './client-types.mjs';
import { root } from './setup.mjs';

await build();
// The contracts are classes with decorators, whose metadata needs this first.
await import('reflect-metadata');
const { documents } = await import('../dist/apps/gateway/src/openapi/documents.js');
const folder = join(root, 'docs', 'openapi');
mkdirSync(folder, { recursive: true });
for (const [file, text] of Object.entries(documents()).filter(([name]) => name.endsWith('.yaml'))) {
  writeFileSync(join(folder, file), text);
  console.log(`docs/openapi/${file}`);
}
for (const file of await writeClientTypes()) console.log(file);
