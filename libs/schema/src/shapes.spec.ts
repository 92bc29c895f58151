import { Ajv2020 } from 'ajv/dist/2020.js';
import { ValidateBy } from 'class-validator';
import { type Field, fieldsOf } from './check';
import type { Shape } from './rule';
import {
  About,
  Bool,
  Email,
  Id,
  Int,
  Link,
  ListOf,
  ListOfShapes,
  Nested,
  Nullable,
  Num,
  OneOf,
  HeaderValue,
  Opaque,
  Optional,
  Slug,
  Text,
  When,
  WhenAsked,
} from './rules';
import { closedObject, fieldSchema } from './shapes';

const refer = (shape: Shape<unknown>) => ({ $ref: `#/components/schemas/${shape.name}` });

const fieldUnder = (...decorators: PropertyDecorator[]): Field => {
  class Holder {
    field!: unknown;
  }
  for (const decorate of decorators) decorate(Holder.prototype, 'field');
  return fieldsOf(Holder)[0] as Field;
};

class Inner {
  @Text(1, 5) name!: string;
}

const visible = String.raw`^\s*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$`;

describe('a rule becomes a schema', () => {
  it.each<[string, PropertyDecorator, object]>([
    ['text', Text(1, 120), { type: 'string', minLength: 1, maxLength: 120, pattern: visible }],
    [
      'text of several lines',
      Text(1, 8000, { multiline: true }),
      {
        type: 'string',
        minLength: 1,
        maxLength: 8000,
        pattern: String.raw`^\s*[^\s\u0000-\u0008\u000b-\u001f\u007f][^\u0000-\u0008\u000b-\u001f\u007f]*$`,
        description: 'May hold line breaks.',
      },
    ],
    [
      'opaque',
      Opaque(1, 512),
      {
        type: 'string',
        minLength: 1,
        maxLength: 512,
        pattern: String.raw`^[^\u0000-\u001f\u007f\u0080-\u009f\u2028\u2029]*$`,
      },
    ],
    [
      'formed',
      HeaderValue(),
      { type: 'string', minLength: 1, maxLength: 1024, pattern: '^[!-~](?:[ -~]*[!-~])?$' },
    ],
    [
      'slug',
      Slug(),
      { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$' },
    ],
    ['id', Id(), { type: 'string', minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9_:.-]+$' }],
    [
      'id of one kind',
      Id('dev'),
      {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        pattern: '^[A-Za-z0-9_:.-]+$',
        description: 'An id that begins with `dev_`.',
      },
    ],
    ['one of', OneOf(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    [
      'link',
      Link('https'),
      {
        type: 'string',
        format: 'uri',
        minLength: 1,
        maxLength: 2048,
        pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]://[^/?#@\s\\\u0000-\u001f\u007f]+(?:[/?#][^\s\\\u0000-\u001f\u007f]*)?$`,
        description: 'An absolute https address.',
      },
    ],
    [
      'email',
      Email(),
      { type: 'string', format: 'email', minLength: 3, maxLength: 254, pattern: expect.any(String) },
    ],
    [
      'when',
      When(),
      {
        type: 'string',
        format: 'date-time',
        pattern: expect.any(String),
        description: 'From 1900 to 2199.',
      },
    ],
    [
      'when of a question',
      WhenAsked(),
      {
        type: 'string',
        format: 'date-time',
        pattern: expect.any(String),
        description: 'At most 20 years from now.',
      },
    ],
    ['int', Int(1, 100), { type: 'integer', minimum: 1, maximum: 100 }],
    ['num', Num(0, 1), { type: 'number', minimum: 0, maximum: 1 }],
    ['bool', Bool(), { type: 'boolean' }],
    [
      'list',
      ListOf(OneOf.rule(['a', 'b']), { min: 1, max: 2, unique: true }),
      {
        type: 'array',
        items: { type: 'string', enum: ['a', 'b'] },
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
      },
    ],
    ['shape', Nested(Inner), { $ref: '#/components/schemas/Inner' }],
    [
      'list of shapes',
      ListOfShapes(Inner, { min: 0, max: 10 }),
      { type: 'array', items: { $ref: '#/components/schemas/Inner' }, minItems: 0, maxItems: 10 },
    ],
  ])('%s', (_, decorate, schema) => expect(fieldSchema(fieldUnder(decorate), refer)).toEqual(schema));

  it.each<[string, PropertyDecorator, object]>([
    ['a text', Slug(), { type: ['string', 'null'] }],
    ['a choice', OneOf(['a']), { type: ['string', 'null'], enum: ['a', null] }],
    ['a shape', Nested(Inner), { anyOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'null' }] }],
  ])('%s that may be null', (_, decorate, schema) =>
    expect(fieldSchema(fieldUnder(Nullable(), decorate), refer)).toMatchObject(schema),
  );

  it('that is none of ours says nothing', () =>
    expect(
      fieldSchema(fieldUnder(ValidateBy({ name: 'odd', validator: { validate: () => true } })), refer),
    ).toEqual({}));

  it('says first what the field is for', () =>
    expect(fieldSchema(fieldUnder(About('The phone.'), Id('dev')), refer)['description']).toBe(
      'The phone. An id that begins with `dev_`.',
    ));
});

describe('the schema of a body', () => {
  class Body {
    @Text(1, 3) text!: string;
    @Optional() @Nullable() @OneOf(['a', 'b']) choice?: string | null;
    @Optional() @ListOf(Int.rule(1, 3), { min: 1, max: 2, unique: true }) list?: number[];
  }
  const schema = closedObject(fieldsOf(Body), refer);
  const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);

  it('names what must be there and lets nothing else in', () =>
    expect(schema).toMatchObject({ required: ['text'], additionalProperties: false }));

  it.each<[boolean, object]>([
    [true, { text: 'abc' }],
    [true, { text: '🔔🔔🔔', choice: null, list: [1, 2] }],
    [false, { text: '🔔🔔🔔🔔' }],
    [false, { text: null }],
    [false, {}],
    [false, { text: 'a', choice: 'c' }],
    [false, { text: 'a', list: [1, 1] }],
    [false, { text: 'a', list: [4] }],
    [false, { text: 'a', more: 1 }],
  ])('%s for %j', (fits, body) => expect(check(body)).toBe(fits));
});
