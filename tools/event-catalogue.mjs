// node tools/event-catalogue.mjs [--check]: writes every event type of the log with its fields, as the TypeScript types of
// the contracts have them, into libs/contracts/src/event-catalogue.json. Events are kept for years, and programs of two
// releases read them: of what has been released nothing may change, only new types and fields may come. With --check it
// writes nothing and fails when the file is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from './setup.mjs';

const file = join(root, 'libs/contracts/src/event-catalogue.json');
const source = join(root, 'libs/contracts/src/stream-events.ts');
export const unreleased = 'unreleased';

/** Each event type with the types of its fields, from `StreamEvents`. */
function declared() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([source], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(source));
  const streams = checker.getExportsOfModule(module).find(({ name }) => name === 'StreamEvents');
  const found = {};
  for (const category of checker.getDeclaredTypeOfSymbol(streams).getProperties()) {
    const events = checker.getTypeOfSymbol(category);
    for (const event of events.isUnion() ? events.types : [events]) {
      const fields = {};
      addFields(fields, checker, '', event);
      const type = checker.getTypeOfSymbol(event.getProperty('type')).value;
      if (typeof type !== 'string') throw new Error(`An event of ${category.name} has no type of its own`);
      found[type] = { category: category.name, fields };
    }
  }
  return found;
}

/**
 * Adds a field, and each field within it by its path, such as `steps[].label`. Texts are texts, whichever they may be:
 * readers expect others than they know.
 */
function addField(fields, checker, path, type, isOptional) {
  const kinds = new Set(isOptional ? ['undefined'] : []);
  for (const each of type.isUnion() ? type.types : [type]) {
    if (each.flags & ts.TypeFlags.StringLike) kinds.add('string');
    else if (each.flags & ts.TypeFlags.NumberLike) kinds.add('number');
    else if (each.flags & ts.TypeFlags.BooleanLike) kinds.add('boolean');
    else if (checker.isArrayType(each) || checker.isTupleType(each)) {
      kinds.add('array');
      for (const item of checker.getTypeArguments(each)) addField(fields, checker, `${path}[]`, item, false);
    } else if (each.flags & ts.TypeFlags.Object) {
      kinds.add('object');
      addFields(fields, checker, path, each);
      for (const { type: value } of checker.getIndexInfosOfType(each))
        addField(fields, checker, `${path}.*`, value, false);
    } else kinds.add(checker.typeToString(each));
  }
  fields[path] = [...new Set([...(fields[path]?.split(' | ') ?? []), ...kinds])].sort().join(' | ');
}

function addFields(fields, checker, path, type) {
  for (const field of type.getProperties()) {
    const name = path === '' ? field.name : `${path}.${field.name}`;
    const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0;
    if (name !== 'type') addField(fields, checker, name, checker.getTypeOfSymbol(field), isOptional);
  }
}

/** Whether a type or a field is in a release, and so in logs. */
const isReleased = (entry) => entry !== undefined && entry.since !== unreleased;

/** What the recorded catalogue becomes with the declared types. Throws for a change of what has been released. */
export function merged({ released, types }, found) {
  const wrong = [];
  const next = {};
  for (const [type, { category, fields }] of Object.entries(found)) {
    const before = types[type];
    const isFixed = isReleased(before);
    if (isFixed && before.category !== category) wrong.push(`${type} has moved to another category`);
    const all = {};
    for (const [name, shape] of Object.entries(fields)) {
      const known = before?.fields[name];
      if (isReleased(known) && known.shape !== shape)
        wrong.push(`${type}.${name} was ${known.shape}, and is ${shape}`);
      const parent = name.replace(/(\[\]|\.[^.[]+)$/, '');
      const isOfNew = parent !== name && before?.fields[parent] === undefined;
      if (isFixed && known === undefined && !isOfNew && !shape.includes('undefined'))
        wrong.push(`${type}.${name} is new, and events without it are in logs: it must be optional`);
      all[name] = { shape, since: known?.since ?? unreleased };
    }
    if (isFixed)
      for (const [name, field] of Object.entries(before.fields))
        if (!(name in fields) && isReleased(field)) wrong.push(`${type}.${name} is gone`);
    next[type] = { category, since: before?.since ?? unreleased, fields: all };
  }
  for (const [type, before] of Object.entries(types))
    if (isReleased(before) && !(type in found)) wrong.push(`${type} is gone`);
  if (wrong.length > 0) throw new Error(`Events in logs cannot be changed: ${wrong.join('; ')}`);
  return { released, types: Object.fromEntries(Object.entries(next).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The catalogue when a version is released. */
export const releasedAs = (version, catalogue) =>
  JSON.parse(
    JSON.stringify({ ...catalogue, released: version }).replaceAll(
      `"since":"${unreleased}"`,
      `"since":"${version}"`,
    ),
  );

export const read = () => JSON.parse(readFileSync(file, 'utf8'));

/** A line for each field. */
export function write({ released, types }) {
  const lines = Object.entries(types).map(([type, { category, since, fields }]) => {
    const each = Object.entries(fields).map(([name, field]) => `\n    "${name}": ${JSON.stringify(field)}`);
    return `"${type}": { "category": "${category}", "since": "${since}", "fields": {${each.join(',')}\n  }}`;
  });
  writeFileSync(file, `{ "released": ${JSON.stringify(released)}, "types": {\n${lines.join(',\n')}\n}}\n`);
}

export const upToDate = () => merged(read(), declared());

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const next = upToDate();
  if (!process.argv.includes('--check')) write(next);
  else if (JSON.stringify(next) !== JSON.stringify(read())) {
    console.error('The catalogue of events is not up to date: node tools/event-catalogue.mjs');
    process.exit(1);
  }
}
