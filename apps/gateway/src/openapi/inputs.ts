import { ListQuery, listLimit } from '@carillon/contracts';
import { type Field, fieldSchema, fieldsOf, type JsonSchema, type Refer } from '@carillon/schema';
import { idForm } from '../request/input';
import type { Row } from '../request/row';

/** The fields of a row's input, by where a caller puts them. */
export interface Inputs {
  readonly path: readonly { readonly name: string; readonly field?: Field }[];
  readonly query: readonly Field[];
  readonly body: readonly Field[];
}

const pathNames = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1));

export function inputsOf({ method, path, contract }: Row): Inputs {
  const fields = contract ? fieldsOf(contract.input) : [];
  const names = pathNames(path);
  const others = fields.filter(({ name }) => !names.includes(name));
  const reading = method === 'GET';
  return {
    path: names.map((name) => {
      const field = fields.find((each) => each.name === name);
      return { name, ...(field && { field }) };
    }),
    query: reading ? others : [],
    body: reading ? [] : others,
  };
}

/** The parameters in path and query. */
export function parametersOf(row: Row, refer: Refer): JsonSchema[] {
  const { path, query } = inputsOf(row);
  const paged = row.contract && row.contract.input.prototype instanceof ListQuery;
  return [
    ...path.map(({ name, field }) => {
      const { description, ...schema } = field ? fieldSchema(field, refer) : { type: 'string' };
      const isId = field?.rule?.asks.kind === 'id';
      return {
        name,
        in: 'path',
        required: true,
        ...(description !== undefined && { description }),
        schema: isId ? schema : { ...schema, pattern: idForm.source },
      };
    }),
    ...query.map((field) => {
      const { description, ...schema } = fieldSchema(field, refer);
      return {
        name: field.name,
        in: 'query',
        required: !field.optional,
        ...(description !== undefined && { description }),
        schema: paged && field.name === 'limit' ? { ...schema, default: listLimit({}) } : schema,
      };
    }),
  ];
}
