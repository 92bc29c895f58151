import { fieldsOf, type JsonSchema } from '@carillon/schema';
import { bodyOf } from '../openapi/answers';
import { inputsOf } from '../openapi/inputs';
import { idForm } from '../request/input';
import type { Row } from '../request/row';
import { invalidArgument, refusal, success } from './result';
import { briefField, objectOf, outline } from './schemas';
import type { Given, Listing, Tool, ToolResult } from './tool';

export interface RouteTool {
  readonly name: string;
  readonly description: string;
  readonly row: Row;
  /** What the tool calls the id in the path. */
  readonly id?: string;
  /** The fields of the route that the tool shows, in this order. */
  readonly fields?: readonly string[];
  /** The schemas of fields that have fields themselves. */
  readonly nested?: JsonSchema;
  /** Fields of the answer that people or other programs wrote. */
  readonly untrusted?: readonly string[];
  /** The schema of the answer where it is not the one of the route. */
  readonly output?: JsonSchema;
  /** For a tool that changes something: whether it ends or removes something. */
  readonly ends?: boolean;
}

const knownNames = new WeakMap<Row, readonly string[]>();

function namesInPath(row: Row): readonly string[] {
  const known = knownNames.get(row);
  if (known) return known;
  const names = inputsOf(row).path.map(({ name }) => name);
  knownNames.set(row, names);
  return names;
}

/** The arguments that a route takes from a tool, as a schema. */
export function argumentsOf(
  row: Row,
  fields: readonly string[],
  { id, nested = {} }: Pick<RouteTool, 'id' | 'nested'> = {},
): JsonSchema {
  const known = new Map(row.contract ? fieldsOf(row.contract.input).map((field) => [field.name, field]) : []);
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const name of [...namesInPath(row), ...fields]) {
    const field = known.get(name);
    if (!field) throw new Error(`${row.method} ${row.path} has no field ${name}`);
    const shown = namesInPath(row).includes(name) && id !== undefined ? id : name;
    properties[shown] = (nested[name] as JsonSchema | undefined) ?? briefField(field);
    if (!field.optional) required.push(shown);
  }
  if (row.idempotent) properties['idempotencyKey'] = { type: 'string' };
  return objectOf(properties, required);
}

const untrustedField: JsonSchema = { type: 'array', items: { type: 'string' } };

/** The answer's schema with the field that names what others wrote. */
export const marking = (schema: JsonSchema, untrusted: readonly string[]): JsonSchema =>
  untrusted.length === 0
    ? schema
    : { ...schema, properties: { ...(schema['properties'] as object), untrusted: untrustedField } };

const annotationsOf = ({ row, ends = false }: Pick<RouteTool, 'row' | 'ends'>): Listing['annotations'] =>
  row.method === 'GET'
    ? { readOnlyHint: true }
    : {
        destructiveHint: ends,
        // What a route creates, a repeat without a key creates again.
        ...(row.idempotent && row.status !== 201 && { idempotentHint: true }),
      };

/** A dot alone is no id: in the path of a URL it means another path. */
export const isId = (value: unknown): value is string =>
  typeof value === 'string' && idForm.test(value) && value !== '.' && value !== '..';

/** The refusal of arguments from which no request can be made: of an id in the path, or of the key. */
export function unusable(row: Row, given: Given, id?: string): ToolResult | undefined {
  for (const name of namesInPath(row)) {
    const shown = id ?? name;
    if (!isId(given[shown])) return invalidArgument(shown, 'is required and must be an id');
  }
  const { idempotencyKey: key } = given;
  return key === undefined || key === null || typeof key === 'string'
    ? undefined
    : invalidArgument('idempotencyKey', 'must be text');
}

/** The arguments under the names that the route has for them. */
export function renamed(row: Row, given: Given, id?: string): Given {
  const [name] = namesInPath(row);
  if (id === undefined || name === undefined) return given;
  const { [id]: value, ...rest } = given;
  return { ...rest, [name]: value };
}

/** A tool that is one route of the Agent API. */
export function routeTool(tool: RouteTool): Tool {
  const { name, description, row, id, fields = [], untrusted = [] } = tool;
  return {
    scopes: row.scopes,
    listing: {
      name,
      description,
      inputSchema: argumentsOf(row, fields, tool),
      outputSchema: marking(tool.output ?? outline(bodyOf(row)), untrusted),
      annotations: annotationsOf(tool),
    },
    async call(given, call) {
      const refused = unusable(row, given, id);
      if (refused) return refused;
      const answer = await call.request(row, renamed(row, given, id));
      return answer.status < 300 ? success(answer.body, untrusted) : refusal(answer);
    },
  };
}
