// Counts the top-level type names that are declared in three or more files, and prints them: a name that means several
// things is found by no search. Part of npm run check; fails from 25 names on.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './setup.mjs';

const limit = 25;

const files = execFileSync('git', ['ls-files', 'apps/*.ts', 'libs/*.ts'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/\.spec\.ts$/.test(file));

const isType = (node) =>
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isEnumDeclaration(node);

/** Files by the name that they declare. */
const declared = new Map();
for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  for (const node of source.statements)
    if (isType(node) && node.name)
      declared.set(node.name.text, (declared.get(node.name.text) ?? new Set()).add(file));
}

const repeated = [...declared].filter(([, where]) => where.size >= 3).sort((a, b) => b[1].size - a[1].size);
for (const [name, where] of repeated) console.log(`${name}: ${where.size} files`);
console.log(`${repeated.length} type names are declared in three or more files; the limit is ${limit - 1}`);
process.exit(repeated.length < limit ? 0 : 1);
