// Renders a Helm chart without Helm, so that a checkout needs none. It knows the part of the template language that
// k8s/chart uses, with Helm's results, and refuses everything else. docs/deployment.md says how it was compared with Helm.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { dump, load, loadAll } from 'js-yaml';

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Later values win, maps are merged, `null` removes. */
export function mergedValues(from, over) {
  const all = { ...from };
  for (const [name, value] of Object.entries(over ?? {}))
    if (value === null) delete all[name];
    else all[name] = isMap(value) && isMap(all[name]) ? mergedValues(all[name], value) : value;
  return all;
}

/** The manifests that the chart in `folder` makes of these values, each with the name of its template. */
export function renderChart(folder, ...overrides) {
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  const chart = load(read('Chart.yaml'));
  const values = overrides.reduce(mergedValues, load(read('values.yaml')));
  const schema = new Ajv({ allErrors: true });
  if (!schema.validate(JSON.parse(read('values.schema.json')), values))
    throw new Error(`values: ${schema.errorsText()}`);

  const defined = new Map();
  const templates = readdirSync(join(folder, 'templates')).filter((file) => /\.(ya?ml|tpl)$/.test(file));
  const bodies = templates.sort().map((file) => {
    const body = parsed(read(`templates/${file}`), file);
    for (const node of body) if (node.kind === 'define') defined.set(node.name, node.body);
    return { template: file, body };
  });
  const data = {
    Values: values,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: 'carillon', Namespace: 'carillon', Service: 'Helm' },
    Files: {
      Get: (path) => (existsSync(join(folder, path)) ? read(path) : ''),
      Glob: (pattern) => {
        const [start, end] = basename(pattern).split('*');
        const found = readdirSync(join(folder, dirname(pattern))).filter(
          (file) => file.startsWith(start) && file.endsWith(end),
        );
        return Object.fromEntries(
          found.map((file) => [`${dirname(pattern)}/${file}`, read(`${dirname(pattern)}/${file}`)]),
        );
      },
    },
  };
  return bodies
    .filter(({ template }) => !template.startsWith('_'))
    .flatMap(({ template, body }) => {
      const text = rendered(body, { dot: data, variables: new Map([['$', data]]), defined });
      try {
        return loadAll(text)
          .filter(Boolean)
          .map((manifest) => ({ template, manifest }));
      } catch (error) {
        throw new Error(`${template}: ${error.message}`);
      }
    });
}

// --- templates

function parsed(text, file) {
  const root = { body: [] };
  const open = [root];
  const put = (node) => open.at(-1).body.push(node);
  let last = 0;
  let isTrimmed = false;
  const literal = (end, trimsEnd) => {
    let part = text.slice(last, end);
    if (isTrimmed) part = part.trimStart();
    if (trimsEnd) part = part.trimEnd();
    if (part) put({ kind: 'text', text: part });
  };
  for (const match of text.matchAll(/\{\{(- )?([\s\S]*?)( -)?\}\}/g)) {
    literal(match.index, Boolean(match[1]));
    last = match.index + match[0].length;
    isTrimmed = Boolean(match[3]);
    const action = match[2].trim();
    if (action.startsWith('/*')) continue;
    const [, word, rest] = /^(if|else if|else|range|with|define|end)?\b\s*([\s\S]*)$/.exec(action) ?? [
      null,
      '',
      action,
    ];
    if (word === 'end') open.pop();
    else if (word === 'else' || word === 'else if') {
      open.pop();
      const before = open.at(-1).body.at(-1);
      const branch = { pipe: word === 'else' ? null : expression(rest), body: [] };
      before.branches.push(branch);
      open.push(branch);
    } else if (word === 'define') {
      const node = { kind: word, name: JSON.parse(rest), body: [] };
      put(node);
      open.push(node);
    } else if (word) {
      const [, names = '', pipe] = /^(?:((?:\$\w+,?\s*)+):=)?\s*([\s\S]*)$/.exec(rest);
      const branch = { pipe: expression(pipe), body: [] };
      put({ kind: word, names: names.match(/\$\w+/g) ?? [], branches: [branch] });
      open.push(branch);
    } else {
      const [, name, pipe] = /^(?:(\$\w+)\s*:=)?\s*([\s\S]*)$/.exec(action);
      put(name ? { kind: 'set', name, pipe: expression(pipe) } : { kind: 'print', pipe: expression(pipe) });
    }
  }
  literal(text.length, false);
  if (open.length !== 1) throw new Error(`${file}: ${open.length - 1} blocks without an end`);
  return root.body;
}

function rendered(body, scope) {
  let text = '';
  const inside = { ...scope, variables: new Map(scope.variables) };
  for (const node of body)
    if (node.kind === 'text') text += node.text;
    else if (node.kind === 'print') text += printed(valueOf(node.pipe, inside));
    else if (node.kind === 'set') inside.variables.set(node.name, valueOf(node.pipe, inside));
    else if (node.kind !== 'define') text += block(node, inside);
  return text;
}

function block({ kind, names, branches }, scope) {
  for (const { pipe, body } of branches) {
    const value = pipe && valueOf(pipe, scope);
    if (pipe && !isTrue(value)) continue;
    if (!pipe || kind === 'if') return rendered(body, scope);
    if (kind === 'with') return rendered(body, { ...scope, dot: value });
    const entries = Array.isArray(value)
      ? [...value.entries()]
      : Object.keys(value)
          .sort()
          .map((key) => [key, value[key]]);
    return entries
      .map(([key, each]) => {
        const variables = new Map(scope.variables);
        if (names.length > 1) variables.set(names[0], key);
        if (names.length > 0) variables.set(names.at(-1), each);
        return rendered(body, { ...scope, dot: each, variables });
      })
      .join('');
  }
  return '';
}

// --- expressions

const token =
  /\s*(?:("(?:\\.|[^"\\])*")|(-?\d+)\b|(\$\w*(?:\.\w+)*)|(\.\w+(?:\.\w+)*|\.(?!\w))|([a-zA-Z]\w*)|([|()]))/y;

function expression(text) {
  const tokens = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const found = token.exec(text);
    if (!found) throw new Error(`not known in a template: ${text}`);
    tokens.push(found);
  }
  const pipe = () => {
    const commands = [];
    do {
      const terms = [];
      while (tokens.length > 0 && !/^[|)]$/.test(tokens[0][6] ?? '')) terms.push(term(tokens.shift()));
      commands.push(terms);
    } while (tokens[0]?.[6] === '|' && tokens.shift());
    return { commands };
  };
  const term = ([, text, number, variable, field, word]) => {
    if (text !== undefined) return { value: JSON.parse(text) };
    if (number !== undefined) return { value: Number(number) };
    const [first, ...path] = (variable ?? field ?? '').split('.');
    if (variable !== undefined) return { variable: first, path };
    if (field !== undefined) return { path: path.filter(Boolean) };
    if (word === 'true' || word === 'false') return { value: word === 'true' };
    if (word !== undefined) return { call: word };
    const inner = pipe();
    tokens.shift();
    return inner;
  };
  const whole = pipe();
  if (tokens.length > 0) throw new Error(`not known in a template: ${text}`);
  return whole;
}

function valueOf(node, scope) {
  if (node.commands) {
    let before = [];
    for (const [first, ...rest] of node.commands) before = [applied(first, rest, before, scope)];
    return before[0];
  }
  if ('value' in node) return node.value;
  if (node.call) return applied(node, [], [], scope);
  let value = node.variable ? scope.variables.get(node.variable) : scope.dot;
  for (const name of node.path) {
    if (value === null || typeof value !== 'object') throw new Error(`.${name} of ${JSON.stringify(value)}`);
    value = Object.hasOwn(value, name) ? value[name] : null;
  }
  return value;
}

function applied(first, rest, before, scope) {
  if (first.call === 'and' || first.call === 'or') {
    let value;
    for (const each of rest) {
      value = valueOf(each, scope);
      if (isTrue(value) === (first.call === 'or')) break;
    }
    return value;
  }
  const values = [...rest.map((each) => valueOf(each, scope)), ...before];
  if (first.call === 'include') {
    const [name, dot] = values;
    if (!scope.defined.has(name)) throw new Error(`no template "${name}"`);
    return rendered(scope.defined.get(name), { ...scope, dot, variables: new Map([['$', dot]]) });
  }
  if (first.call) {
    if (!Object.hasOwn(functions, first.call)) throw new Error(`no function "${first.call}"`);
    return functions[first.call](...values);
  }
  const value = valueOf(first, scope);
  if (typeof value === 'function') return value(...values);
  if (values.length > 0) throw new Error(`${JSON.stringify(value)} takes no arguments`);
  return value;
}

const isTrue = (value) =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

function printed(value) {
  // Go writes larger numbers with an exponent.
  if (/^(string|boolean|bigint)$/.test(typeof value)) return String(value);
  if (typeof value === 'number' && Math.abs(value) < 1e6) return String(value);
  throw new Error(`${JSON.stringify(value)} cannot be printed`);
}

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
};
const indented = (count, text) => text.replaceAll(/^/gm, ' '.repeat(count));

const functions = {
  base: basename,
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  dict: (...all) => Object.fromEntries(all.flatMap((key, at) => (at % 2 === 0 ? [[key, all[at + 1]]] : []))),
  eq: (one, ...others) => others.includes(one),
  indent: indented,
  keys: (map) => Object.keys(map),
  list: (...all) => all,
  // Go prints whole numbers as they are only when they are of a type for whole numbers.
  int: (value) => BigInt(value),
  merge: (into, ...others) => others.reduce((all, other) => mergedValues(other, all), into),
  ne: (one, other) => one !== other,
  nindent: (count, text) => `\n${indented(count, text)}`,
  not: (value) => !isTrue(value),
  printf: (format, ...values) => format.replaceAll(/%[sdv]/g, () => printed(values.shift())),
  quote: (value) => JSON.stringify(printed(value)),
  replace: (old, fresh, text) => text.replaceAll(old, () => fresh),
  sha256sum: (text) => createHash('sha256').update(text).digest('hex'),
  // As Go writes it: sorted, with what HTML knows escaped.
  toJson: (value) =>
    JSON.stringify(sorted(value)).replaceAll(
      /[<>&]/g,
      (sign) => `\\u00${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
    ),
  ternary: (one, other, condition) => (condition ? one : other),
  sortAlpha: (all) => [...all].sort(),
  toYaml: (value) => dump(value, { sortKeys: true, lineWidth: -1 }).trimEnd(),
  upper: (text) => text.toUpperCase(),
  without: (all, ...gone) => all.filter((each) => !gone.includes(each)),
};
