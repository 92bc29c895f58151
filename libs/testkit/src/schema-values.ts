import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';

type Json = Record<string, unknown>;
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moments at the ends of what can be written, and about now. */
const extremeTimes = (now = Date.now()): string[] => {
  const years = 20 * 366 * 86_400_000;
  return [
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    new Date(now - years).toISOString(),
    new Date(now + years).toISOString(),
    new Date(now).toISOString().replace('Z', '+05:30'),
    '2016-12-31T23:59:60Z',
    '2024-02-29t12:00:00.5z',
  ];
};

/** Texts of every family that an input may ask for, and some that nobody asks for. */
const pool = [
  ...[
    'a',
    'Ä ö',
    'two words',
    '🔔',
    'e\u0301',
    ' a ',
    'line\nbreak',
    'tab\there',
    'nul\u0000',
    '',
    ' ',
    '\u0085',
  ],
  ...['usr_01jd3q5w00f8zb8k4t2m6x9yrc', 'dev_1', 'anot_1', 'event:evt_1', 'a b', 'none', 'AAAA', 'a.b_c:d-e'],
  ...[
    'https://a.example/',
    'HTTPS://a.example:8443/ä?b=c#d',
    'http://a.example',
    'myapp:x',
    'myapp://open/x',
  ],
  ...[
    'javascript:alert(1)',
    'data:x',
    'https://u:p@a.example/',
    'https://a.example:0/',
    'ftp://a.example',
    'https://',
  ],
  ...[
    'ann@a.example',
    'Ann.b+c@sub.a.example',
    'ann',
    '"a b"@a.example',
    'ann@a',
    'a..b@a.example',
    'ü@ä.example',
  ],
  ...[
    'a.example',
    'Sub.A.Example.',
    'müller.example',
    'xn--a.example',
    '1.2.3.4',
    'a..b',
    '-a.example',
    'localhost',
  ],
  ...['09:00', '24:00', '9:00', '#1f883d', '#fff', 'bell', 'UTC', 'Europe/Berlin', 'Mars/Olympus', 'X-Token'],
  ...[
    '0'.repeat(64),
    'g'.repeat(64),
    `whsec_${'A'.repeat(32)}`,
    `whsec_${'A'.repeat(33)}`,
    `whsec_${'A'.repeat(87)}`,
  ],
  ...[
    '2026-11-20',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '2026-11-20T24:00:00Z',
  ],
  ...['key-1', '"a key"', '"open', 'carillon_pass_nonsense', 'v1,nonsense', 'true', '1', 'null', '\u2028'],
  ...extremeTimes(),
];

/** RFC 3339: a day that its month has, and a leap second at the end of a day in UTC only. */
function isDateTime(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(
    text,
  );
  if (!parts) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  const [offsetHour, offsetMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (day < 1 || day > days || hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (parts[8] === '-' ? -1 : 1);
  return second === 60 && (hour * 60 + minute - offset + 2880) % 1440 === 1439;
}

/** Makes values from JSON Schema, and tells whether one fits: what an API's document allows, and what it forbids. */
export class SchemaValues {
  private readonly ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
  private readonly checks = new WeakMap<object, ValidateFunction>();
  private readonly made = new WeakMap<object, fc.Arbitrary<unknown>>();
  /** Texts that match a pattern: many schemas have the same one, and what makes them takes its time to be made. */
  private readonly formed = new Map<string, fc.Arbitrary<string> | undefined>();

  constructor(private readonly schemas: Readonly<Record<string, unknown>>) {
    this.ajv.addFormat('date-time', isDateTime);
    // What an address is, its pattern says.
    this.ajv.addFormat('uri', true);
    this.ajv.addFormat('email', true);
    this.ajv.addSchema({ $id: 'document', components: { schemas } }, 'document');
  }

  fits(schema: object, value: unknown): boolean {
    let check = this.checks.get(schema);
    if (!check) {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
      this.checks.set(schema, (check = this.ajv.compile(JSON.parse(text))));
    }
    return check(value);
  }

  /** Values that fit. */
  fitting(schema: object): fc.Arbitrary<unknown> {
    let known = this.made.get(schema);
    if (!known) {
      const begun = this.begun(schema as Json);
      known = begun.map((value) => this.repaired(schema, value)).filter((value) => this.fits(schema, value));
      this.made.set(schema, known);
    }
    return known;
  }

  /** Values that do not fit: one that does, in which something was changed. */
  misfit(schema: object): fc.Arbitrary<unknown> {
    return this.fitting(schema)
      .chain((value) => this.mutated(schema as Json, value))
      .filter((value) => !this.fits(schema, value));
  }

  /** Where fields contradict each other, one after the other goes until none does. */
  private repaired(schema: object, value: unknown): unknown {
    if (!isJson(value)) return value;
    const required = (this.whole(schema as Json)['required'] ?? []) as string[];
    let rest = value;
    for (const name of Object.keys(value).reverse()) {
      if (this.fits(schema, rest)) return rest;
      if (required.includes(name)) continue;
      rest = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== name));
    }
    return this.fits(schema, rest) ? rest : value;
  }

  private whole(schema: Json): Json {
    const ref = schema['$ref'];
    return typeof ref === 'string' ? (this.schemas[ref.split('/').at(-1) ?? ''] as Json) : schema;
  }

  private begun(given: Json): fc.Arbitrary<unknown> {
    const schema = this.whole(given);
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...(schema['enum'] as unknown[]));
    if (Array.isArray(schema['anyOf']) && !('type' in schema))
      return fc.oneof(...(schema['anyOf'] as Json[]).map((each) => this.fitting(each)));
    const types = Array.isArray(schema['type']) ? (schema['type'] as string[]) : [String(schema['type'])];
    return fc.oneof(...types.map((type) => this.ofType(type, schema)));
  }

  private ofType(type: string, schema: Json): fc.Arbitrary<unknown> {
    const [min, max] = [Number(schema['minimum'] ?? -1000), Number(schema['maximum'] ?? 1000)];
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
      case 'number':
        return fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }));
      case 'array': {
        const [least, most] = [Number(schema['minItems'] ?? 0), Number(schema['maxItems'] ?? 3)];
        const limits = { minLength: least, maxLength: Math.max(least, Math.min(most, 4)) };
        const entry = this.fitting(schema['items'] as Json);
        return schema['uniqueItems'] === true
          ? fc.uniqueArray(entry, { ...limits, selector: (each) => JSON.stringify(each) })
          : fc.array(entry, limits);
      }
      case 'object': {
        const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
        return fc.record(Object.fromEntries(properties.map(([name, each]) => [name, this.fitting(each)])), {
          requiredKeys: (schema['required'] ?? []) as string[],
        });
      }
      default:
        return this.text(schema);
    }
  }

  private text(schema: Json): fc.Arbitrary<string> {
    const {
      pattern,
      maxLength,
      minLength = 0,
    } = schema as {
      pattern?: string;
      maxLength?: number;
      minLength?: number;
    };
    const alone = { ...schema, type: 'string' };
    const known = pool.filter((text) => this.fits(alone, text));
    const long =
      maxLength === undefined ? [] : ['a'.repeat(maxLength), '🔔'.repeat(maxLength), 'a'.repeat(minLength)];
    const ends = long.filter((text) => this.fits(alone, text));
    const found = [...known, ...ends];
    const formed = pattern === undefined ? fc.string() : this.matching(pattern);
    if (!formed && found.length === 0) throw new Error(`nothing is known that matches ${pattern}`);
    return fc.oneof(
      ...(found.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...found) }] : []),
      ...(formed
        ? [{ weight: 1, arbitrary: formed.map((text) => [...text].slice(0, maxLength).join('')) }]
        : []),
    );
  }

  private mutated(given: Json, value: unknown): fc.Arbitrary<unknown> {
    const schema = this.whole(given);
    const strange = fc.constantFrom<unknown>(null, true, 0, 1.5, -1, 1e21, 'x', '', [], {}, [null], [[]], {
      a: 1,
    });
    const { maxLength } = schema as { maxLength?: number };
    if (isJson(value)) {
      const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
      const changes: fc.Arbitrary<unknown>[] = [
        strange.map((more) => ({ ...value, extra: more })),
        ...Object.keys(value).map((name) =>
          fc.constant(Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))),
        ),
        ...properties.flatMap(([name, each]) => [
          this.mutated(each, value[name]).map((other) => ({ ...value, [name]: other })),
          this.fitting(each).map((other) => ({ ...value, [name]: other })),
        ]),
      ];
      return fc.oneof(...changes);
    }
    if (Array.isArray(value)) {
      const most = Number(schema['maxItems'] ?? 3);
      return fc.oneof(
        strange,
        fc.constant([...(value as unknown[]), ...(value as unknown[])]),
        fc.constant(Array.from({ length: most + 1 }, (_, at) => (value as unknown[])[at % value.length])),
        this.mutated(schema['items'] as Json, (value as unknown[])[0]).map((entry) => [entry]),
      );
    }
    const [min, max] = [Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? 0)];
    return fc.oneof(
      strange,
      fc.constantFrom(...pool),
      fc.constantFrom(min - 1, max + 1, min + 0.5),
      ...(maxLength === undefined
        ? []
        : [fc.constantFrom('a'.repeat(maxLength + 1), '🔔'.repeat(maxLength + 1))]),
    );
  }

  /** Texts that match, unless the pattern looks ahead or asks for letters beyond ASCII. */
  private matching(pattern: string): fc.Arbitrary<string> | undefined {
    if (!this.formed.has(pattern)) {
      // What makes the texts neither looks ahead nor knows other letters than those of ASCII.
      const looksAhead = ['(?=', '(?!', '[^\\u0000-\\u007f]'].some((part) => pattern.includes(part));
      this.formed.set(pattern, looksAhead ? undefined : fc.stringMatching(new RegExp(pattern, 'u')));
    }
    return this.formed.get(pattern);
  }
}
