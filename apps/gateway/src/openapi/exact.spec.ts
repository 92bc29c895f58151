import * as contracts from '@carillon/contracts';
import {
  check,
  closedObject,
  type Field,
  fieldsOf,
  type JsonSchema,
  type Shape,
  togetherOf,
} from '@carillon/schema';
import { SchemaValues } from '@carillon/testkit';
import fc from 'fast-check';
import { ECDH } from 'node:crypto';
import type { unwritten } from './unwritten';

/** Every shape that a contract takes; those that they hold come with them. */
const shapes = new Map<string, Shape<object>>();
for (const exported of Object.values<unknown>(contracts)) {
  if (typeof exported !== 'object' || exported === null) continue;
  for (const contract of Object.values(exported) as unknown[])
    if (typeof contract === 'object' && contract !== null && 'input' in contract) {
      const input = contract.input as Shape<object>;
      if (fieldsOf(input).length > 0) shapes.set(input.name, input);
    }
}

const schemas: Record<string, JsonSchema> = {};
const refer = (shape: Shape<unknown>): JsonSchema => {
  schemas[shape.name] ??= closedObject(fieldsOf(shape), refer, togetherOf(shape));
  return { $ref: `#/components/schemas/${shape.name}` };
};
const table = [...shapes.values()].map((shape) => [shape.name, shape, refer(shape)] as const);
const values = new SchemaValues(schemas);

const isUrl = (text: string): boolean => {
  try {
    new URL(text);
    return true;
  } catch {
    return false;
  }
};
const isPoint = (text: string): boolean => {
  try {
    return ECDH.convertKey(text, 'prime256v1', 'base64url').length === 65;
  } catch {
    return false;
  }
};
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Which of the rules that no schema says a text under a field breaks, if any. */
function broken({ rule }: Field, text: string): keyof typeof unwritten | undefined {
  const asks = rule?.asks.kind === 'list' ? rule.asks.of.asks : rule?.asks;
  if (/\p{Surrogate}/u.test(text) || text.normalize('NFC').length > text.length) return 'unicode';
  if (asks?.kind === 'link' && !isUrl(text)) return 'host';
  if (asks?.kind === 'point') return isPoint(text) ? undefined : 'point';
  if (asks?.kind === 'when') {
    const at = new Date(text.replace(':60', ':59').toUpperCase());
    const year = at.getUTCFullYear();
    // A leap second is the first of the next day.
    if (year < 1900 || year > 2199 || /^2199-12-31T23:59:60/i.test(text)) return 'year';
    const away = Math.abs(at.getTime() - Date.now()) / (365.25 * 86_400_000);
    if (asks.years !== undefined && away > asks.years) return 'moment';
  }
  if (asks?.kind === 'glyph' && !/^[a-z0-9._-]+$/.test(text))
    return [...graphemes.segment(text)].length === 1 && /\p{Extended_Pictographic}/u.test(text)
      ? undefined
      : 'emoji';
  return undefined;
}

function breaksUnwritten(shape: Shape<object>, value: Record<string, unknown>): boolean {
  return fieldsOf(shape).some((field) => {
    const asks = field.rule?.asks;
    const held = value[field.name];
    const list: readonly unknown[] = Array.isArray(held) ? held : [held];
    return list.some((each) => {
      if (typeof each === 'string') return broken(field, each) !== undefined;
      return typeof each === 'object' && each !== null && (asks?.kind === 'shape' || asks?.kind === 'shapes')
        ? breaksUnwritten(asks.shape, each as Record<string, unknown>)
        : false;
    });
  });
}

// What is shrunk here goes through many filters, which takes for ever.
const params = { numRuns: 60, endOnFailure: true };

it('there are shapes to try', () => expect(table.length).toBeGreaterThan(60));

describe.each(table)('the schema of %s', (_, shape, schema) => {
  it('allows nothing that is refused', () =>
    fc.assert(
      fc.property(values.fitting(schema), (value) => {
        const checked = check(shape, value);
        if (!checked.ok && !breaksUnwritten(shape, value as Record<string, unknown>))
          throw new Error(`refused: ${JSON.stringify(checked.issues)}`);
      }),
      params,
    ));

  it('forbids nothing that is taken as it is', () =>
    fc.assert(
      fc.property(values.misfit(schema), (value) => {
        const checked = check(shape, value);
        if (!checked.ok) return;
        // Brought into its normal form, it is what the schema says.
        const normal: unknown = JSON.parse(JSON.stringify(checked.value));
        if (JSON.stringify(normal) === JSON.stringify(value) || !values.fits(schema, normal))
          throw new Error(`taken as ${JSON.stringify(normal)}`);
      }),
      params,
    ));
});
