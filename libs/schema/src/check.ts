import type { ValidationError } from 'class-validator';
import { getMetadataStorage, Validator } from './class-validator';
import { type IssueCode, nothing, type Problem, Rule, type Shape } from './rule';
import { aboutOf, nullableMark, optionalMark, upTo } from './rules';
import { normalised, shortened } from './text';
import { type Together, togetherOf } from './together';

/** One thing that is wrong with an input. `path` is empty for the input as a whole. */
export interface Issue {
  readonly path: string;
  /** Part of a sentence that goes on after the path. */
  readonly message: string;
  readonly code: IssueCode;
}

export type CheckResult<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly issues: readonly Issue[];
      /** Nothing else is wrong than that it asks for no change. */
      readonly empty?: true;
    };

export interface CheckOptions {
  /** The input is a query: unknown names are ignored, texts stand for numbers and booleans. */
  readonly query?: boolean;
  /** Unknown fields are dropped, at any depth. */
  readonly dropsUnknown?: boolean;
  /** Parameters of the path. They are fields of the shape too, which the body may then not name. */
  readonly path?: Readonly<Record<string, string>>;
}

/** A field of a shape as its decorators describe it. */
export interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** Absent when the field has decorators of class-validator that are not ours. */
  readonly rule?: Rule;
  /** What the API's description says of it. */
  readonly about?: string;
}

interface Plan {
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** Says yes only to what class-validator would let pass; absent when it meets a rule that it does not know. */
  readonly accepts: ((value: object) => boolean) | undefined;
  /** About several fields at once. */
  readonly together: readonly Together[];
}

const validator = new Validator();
const deepest = 8;
const maxIssues = 50;
const maxPathLength = 200;

/**
 * Brings an input into its normal form and checks it against a shape. The input is never changed; what is accepted is
 * a fresh instance of the shape with nothing but its fields.
 */
export function check<T>(shape: Shape<T>, input: unknown, options: CheckOptions = {}): CheckResult<T> {
  const issues: Issue[] = [];
  const value = normalForm(shape as Shape<object>, input, options, issues);
  if (value === undefined) return { ok: false, issues };
  if (issues.length === 0 && planOf(shape as Shape<object>).accepts?.(value))
    return judgedTogether(shape, value);
  return judged(shape, value, issues);
}

/** The check that was compiled from the decorators of a shape, for values in their normal form (ADR 9). */
export const compiled = <T>(shape: Shape<T>): ((value: object) => boolean) | undefined =>
  planOf(shape as Shape<object>).accepts;

/** The same check by class-validator alone. */
export function viaClassValidator<T>(shape: Shape<T>, input: unknown): CheckResult<T> {
  const issues: Issue[] = [];
  const value = normalForm(shape as Shape<object>, input, {}, issues);
  return value === undefined ? { ok: false, issues } : judged(shape, value, issues);
}

/** The fields of a shape, for API descriptions. */
export const fieldsOf = (shape: Shape<unknown>): readonly Field[] => planOf(shape as Shape<object>).fields;

// ------------------------------------------------------------------------------------------------ normal form

function normalForm(
  shape: Shape<object>,
  input: unknown,
  options: CheckOptions,
  issues: Issue[],
): object | undefined {
  const given = input === undefined ? {} : input;
  if (!isObject(given)) {
    issues.push({ path: '', message: 'must be an object', code: 'invalid_type' });
    return undefined;
  }
  if (nestsDeeper(given, deepest)) {
    issues.push({ path: '', message: `must not nest deeper than ${deepest} levels`, code: 'invalid_format' });
    return undefined;
  }
  const value = read(shape, given, '', options, issues);
  const { path } = options;
  if (path) readPath(shape, value, path, issues);
  return value;
}

type Bag = Record<string, unknown>;

const isObject = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function nestsDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  // The own keys of a list are its indexes; both have their values read alike.
  for (const entry of Array.isArray(value) ? value : Object.values(value))
    if (typeof entry === 'object' && entry !== null && nestsDeeper(entry, levels - 1)) return true;
  return false;
}

/** A fresh instance with the fields that the shape knows; every other own key is an issue or dropped. */
function read(shape: Shape<object>, given: Bag, at: string, options: CheckOptions, issues: Issue[]): object {
  const { query = false, dropsUnknown = false, path } = options;
  const { fields, byName } = planOf(shape);
  const value = new shape() as Bag;
  let known = 0;
  for (const field of fields) {
    const { name } = field;
    const raw = given[name];
    if (raw === undefined || !Object.hasOwn(given, name)) continue;
    if (path !== undefined && Object.hasOwn(path, name)) continue;
    known += 1;
    value[name] = readField(field, raw, at, options, issues);
  }
  if (query || dropsUnknown) return value;
  const names = Object.keys(given);
  if (names.length === known) return value;
  for (const name of names) {
    const field = byName.get(name);
    if (field && !(path !== undefined && Object.hasOwn(path, name))) continue;
    if (issues.length >= maxIssues) break;
    issues.push({ path: at + shortened(name, 100), message: 'is not a known field', code: 'unknown_field' });
  }
  return value;
}

function readField(
  field: Field,
  raw: unknown,
  at: string,
  { query = false, dropsUnknown = false }: CheckOptions,
  issues: Issue[],
): unknown {
  const { rule, name } = field;
  if (!rule) return typeof raw === 'string' ? normalised(raw) : raw;
  const { asks } = rule;
  if (asks.kind === 'shape') return readHeld(asks.shape, raw, `${at}${name}.`, { dropsUnknown }, issues);
  if (asks.kind === 'shapes') {
    if (!Array.isArray(raw)) return emptied(raw);
    return upTo(raw, asks.max).map((entry, index) =>
      readHeld(asks.shape, entry, `${at}${name}.${index}.`, { dropsUnknown }, issues),
    );
  }
  return rule.normalise(query ? fromQuery(rule, raw) : raw);
}

const readHeld = (
  shape: Shape<object>,
  held: unknown,
  at: string,
  options: Pick<CheckOptions, 'dropsUnknown'>,
  issues: Issue[],
): unknown => (isObject(held) ? read(shape, held, at, options, issues) : emptied(held));

/** What cannot be right anyway keeps its type only, so that class-validator does not go through all that it holds. */
const emptied = (value: unknown): unknown => (Array.isArray(value) ? [] : isObject(value) ? {} : value);

function fromQuery(rule: Rule, raw: unknown): unknown {
  if (rule.asks.kind === 'list') {
    const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
    return upTo(list, rule.asks.max).map((entry) =>
      typeof entry === 'string' ? rule.fromText(entry) : entry,
    );
  }
  return typeof raw === 'string' ? rule.fromText(raw) : raw;
}

/** A path parameter is taken as it is written: one that would first have to be trimmed is none of ours. */
function readPath(
  shape: Shape<object>,
  value: object,
  path: Readonly<Record<string, string>>,
  issues: Issue[],
) {
  const { byName } = planOf(shape);
  for (const name of Object.keys(path)) {
    const rule = byName.get(name)?.rule;
    if (!rule) throw new Error(`${shape.name} has no rule for the path parameter "${name}"`);
    const written = path[name]!;
    const meant = rule.fromText(written);
    const normal = rule.normalise(meant);
    if (typeof meant === 'string' && normal !== meant && rule.asks.kind !== 'when')
      issues.push({
        path: name,
        message: 'must be written without anything around it',
        code: 'invalid_format',
      });
    (value as Bag)[name] = normal;
  }
}

// ----------------------------------------------------------------------------------------------------- plans

const plans = new WeakMap<Shape<object>, Plan>();

function planOf(shape: Shape<object>): Plan {
  const known = plans.get(shape);
  if (known) return known;
  const plan = makePlan(shape);
  plans.set(shape, plan);
  return plan;
}

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

function makePlan(shape: Shape<object>): Plan {
  const byProperty = new Map<string, Metadata[]>();
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false)) {
    const list = byProperty.get(metadata.propertyName);
    if (list) list.push(metadata);
    else byProperty.set(metadata.propertyName, [metadata]);
  }
  const fields: Field[] = [];
  const tests: ((value: Bag) => boolean)[] = [];
  let foreign = false;
  for (const [name, metadatas] of byProperty) {
    const about = aboutOf(shape, name);
    const field = { ...fieldFrom(name, metadatas), ...(about !== undefined && { about }) };
    fields.push(field);
    if (!field.rule) foreign = true;
    else tests.push(testOf(field, field.rule));
  }
  return {
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    accepts: foreign ? undefined : accepting(tests),
    together: togetherOf(shape),
  };
}

const accepting =
  (tests: readonly ((value: Bag) => boolean)[]): ((value: object) => boolean) =>
  (value) => {
    for (const test of tests) if (!test(value as Bag)) return false;
    return true;
  };

/** The field as our decorators made it; without a rule when anything about it is not ours. */
function fieldFrom(name: string, metadatas: readonly Metadata[]): Field {
  let rule: Rule | undefined;
  let optional = false;
  let nullable = false;
  let nested = false;
  let foreign = false;
  for (const metadata of metadatas) {
    const constraint: unknown = metadata.constraints?.[0];
    if (metadata.groups?.length || metadata.always !== undefined || metadata.validateIf) foreign = true;
    else if (metadata.context === optionalMark) optional = true;
    else if (metadata.context === nullableMark) nullable = true;
    else if (metadata.type === 'nestedValidation') nested = true;
    else if (metadata.type === 'customValidation' && constraint instanceof Rule && !metadata.each && !rule)
      rule = constraint;
    else foreign = true;
  }
  const holdsShape = rule?.asks.kind === 'shape' || rule?.asks.kind === 'shapes';
  if (foreign || !rule || nested !== holdsShape) return { name, optional, nullable };
  return { name, optional, nullable, rule };
}

function testOf({ name, optional, nullable }: Field, rule: Rule): (value: Bag) => boolean {
  const { asks, problems } = rule;
  if (asks.kind === 'shape' || asks.kind === 'shapes') {
    const { shape } = asks;
    // Looked up when it is first needed: a shape may hold itself.
    const inner = (value: object): boolean => planOf(shape).accepts?.(value) ?? false;
    return (value) => {
      const held = value[name];
      if (held === undefined) return optional;
      if (held === null) return nullable;
      if (problems(held) !== nothing) return false;
      return asks.kind === 'shape' ? inner(held) : (held as object[]).every(inner);
    };
  }
  return (value) => {
    const held = value[name];
    if (held === undefined) return optional;
    if (held === null) return nullable;
    return problems(held) === nothing;
  };
}

// ------------------------------------------------------------------------------------------- class-validator

/** What class-validator says of a value in its normal form, in our words. */
function judged<T>(shape: Shape<T>, value: object, found: readonly Issue[]): CheckResult<T> {
  const errors = validator.validateSync(value, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
    validationError: { target: false },
  });
  const issues: Issue[] = [];
  for (const error of errors) explain(planOf(shape as Shape<object>), error, '', issues);
  if (issues.length === 0 && errors.length > 0)
    issues.push({ path: '', message: 'is not valid', code: 'invalid_value' });
  issues.push(...found);
  return issues.length === 0
    ? judgedTogether(shape, value)
    : { ok: false, issues: issues.slice(0, maxIssues) };
}

/** An input each of whose fields is right, by the rules about several of them. */
function judgedTogether<T>(shape: Shape<T>, value: object): CheckResult<T> {
  const issues: Issue[] = [];
  const only = { empty: true };
  compare(shape as Shape<object>, value as Bag, '', issues, only);
  if (issues.length === 0) return { ok: true, value: value as T };
  return { ok: false, issues: issues.slice(0, maxIssues), ...(only.empty && { empty: true }) };
}

function compare(
  shape: Shape<object>,
  value: Bag,
  at: string,
  issues: Issue[],
  only: { empty: boolean },
): void {
  const { fields, together } = planOf(shape);
  for (const rule of together)
    for (const { path, ...fault } of rule.faults(value)) {
      issues.push({ path: at + path, ...fault });
      if (!rule.empty) only.empty = false;
    }
  for (const { name, rule } of fields) {
    const held = value[name];
    if (typeof held !== 'object' || held === null) continue;
    if (rule?.asks.kind === 'shape') compare(rule.asks.shape, held as Bag, `${at}${name}.`, issues, only);
    if (rule?.asks.kind === 'shapes')
      for (const [index, entry] of (held as Bag[]).entries())
        compare(rule.asks.shape, entry, `${at}${name}.${index}.`, issues, only);
  }
}

function explain(plan: Plan | undefined, error: ValidationError, at: string, issues: Issue[]): void {
  if (issues.length >= maxIssues) return;
  const path = shortened(at + error.property, maxPathLength);
  const field = plan?.byName.get(error.property);
  const before = issues.length;
  if (field?.rule) {
    for (const problem of why(field.rule, error.value))
      issues.push({
        path: problem.at === undefined ? path : `${path}.${problem.at}`,
        message: problem.message,
        code: problem.code,
      });
  } else if (error.value === undefined && error.constraints) {
    issues.push({ path, message: 'is required', code: 'required' });
  } else {
    for (const [name, message] of Object.entries(error.constraints ?? {}))
      issues.push(
        name === 'whitelistValidation'
          ? { path, message: 'is not a known field', code: 'unknown_field' }
          : { path, message: foreignMessage(error.property, message), code: 'invalid_value' },
      );
  }
  const asks = field?.rule?.asks;
  const inner = asks?.kind === 'shape' || asks?.kind === 'shapes' ? planOf(asks.shape) : undefined;
  for (const child of error.children ?? []) {
    // In a list the indexes are children first and their fields children of those.
    if (asks?.kind === 'shapes')
      for (const grandchild of child.children ?? [])
        explain(inner, grandchild, `${path}.${child.property}.`, issues);
    else explain(inner, child, `${path}.`, issues);
  }
  if (issues.length === before) issues.push({ path, message: 'is not valid', code: 'invalid_value' });
}

function why(rule: Rule, value: unknown): readonly Problem[] {
  if (value === undefined) return [{ message: 'is required', code: 'required' }];
  if (value === null) return [{ message: 'must not be null', code: 'invalid_type' }];
  return rule.problems(value);
}

const foreignMessage = (property: string, message: string): string =>
  shortened(message.startsWith(`${property} `) ? message.slice(property.length + 1) : message, 200);
