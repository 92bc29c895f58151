import { type House, type HouseAnswer, SchemaValues, startHouse } from '@carillon/testkit';
import fc from 'fast-check';

type Json = Record<string, any>;

const seed = 20_261_124;
const runs = 4;

let house: House;
let documents: readonly Json[];
beforeAll(async () => {
  house = await startHouse({ limits: 'off', env: { CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
  house.ignorePushes();
  documents = await Promise.all(
    ['agent', 'session'].map(async (name) => (await house.http('GET', `/openapi/${name}.json`)).body as Json),
  );
}, 120_000);
afterAll(() => house?.close(), 90_000);

/** The routes that end the caller's access, and responses that do not end. */
const left = new Set(['POST /auth/revoke', 'POST /logout', 'GET /stream']);

/** Refusals of what no schema can say. */
const unwrittenCodes = new Set(['INVALID_CURSOR', 'INVALID_READ_TOKEN', 'INVALID_TIMEZONE']);
const unwrittenPaths =
  /(^|\.)(expiresAt|startsAt|endsAt|since|at|from|to|afterSeconds|timezone|hostname|domain|icon|url|imageUrl|iconUrl|target|steps|lines)$|^(headers|routes)\./;

const ofForm = new Set([
  'VALIDATION_FAILED',
  'INVALID_ID',
  'INVALID_JSON',
  'EMPTY_UPDATE',
  'INVALID_IDEMPOTENCY_KEY',
]);
const isExcused = ({ body }: HouseAnswer): boolean =>
  unwrittenCodes.has(body.code) ||
  (body.code === 'VALIDATION_FAILED' && body.issues.every(({ path }: Json) => unwrittenPaths.test(path)));

/** Where dates end: no route may stumble over them. */
const endsOfTime = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '+010000-01-01T00:00:00Z'];

/** What a text stands for is not told from the text itself. */
const readings = (text: string): unknown[] => [
  text,
  text.trim(),
  ...(/^-?\d+(\.\d+)?$/.test(text) ? [Number(text)] : []),
  ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
];
const trimmed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === 'string' ? each.normalize('NFC').trim() : each,
  );

const textOf = (name: string, value: unknown): string =>
  (Array.isArray(value) ? (value as unknown[]) : [value])
    .map((each) => `${name}=${encodeURIComponent(String(each))}`)
    .join('&');

/** All requests of one operation: those that its document allows, then those that it forbids. */
function requestsOf(document: Json, values: SchemaValues, path: string, operation: Json) {
  const parameters = (operation['parameters'] as Json[]).map((each) =>
    each['$ref'] ? (document['components'].parameters[each['$ref'].split('/').at(-1)] as Json) : each,
  );
  const body: Json | undefined = operation['requestBody']?.content['application/json'].schema;
  const sample = (schema: Json, count: number) => fc.sample(values.fitting(schema), { numRuns: count, seed });
  const inPath = parameters.filter((each) => each['in'] === 'path');
  const inQuery = parameters.filter((each) => each['in'] === 'query');
  const ids = new Map(inPath.map((each) => [each['name'], sample(each['schema'], runs)]));
  const at = (run: number) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids.get(name)?.[run])));
  const bodies = body ? sample(body, runs) : [];
  const queries = inQuery.map((each) => ({
    name: each['name'] as string,
    found: sample(each['schema'], runs),
  }));
  const allowed = Array.from({ length: runs }, (_, run) => ({
    path: `${at(run)}?${queries
      .filter((_each, index) => (run + index) % 2 === 0)
      .map(({ name, found }) => textOf(name, found[run]))
      .join('&')}`,
    ...(body && { body: bodies[run] }),
  }));
  const forbidden = [
    ...(body
      ? fc
          .sample(values.misfit(body), { numRuns: runs, seed })
          .filter((value) => typeof value === 'object' && !values.fits(body, trimmed(value)))
          .map((value) => ({ path: at(0), body: value }))
      : []),
    ...inQuery
      .filter(({ schema }) => schema.format === 'date-time')
      .flatMap(({ name }) => endsOfTime.map((time) => ({ path: `${at(0)}?${textOf(name, time)}` }))),
    ...inQuery.flatMap(({ name, schema }) =>
      fc
        .sample(values.misfit(schema), { numRuns: 2, seed })
        .filter((value) => typeof value === 'string' || typeof value === 'number')
        .filter((value) => {
          const entry = schema.type === 'array' ? (each: unknown) => [each] : (each: unknown) => each;
          return readings(String(value)).every((each) => !values.fits(schema, entry(each)));
        })
        .map((value) => ({ path: `${at(0)}?${textOf(name, value)}` })),
    ),
  ];
  return { allowed, forbidden };
}

it.each([0, 1])(
  'what document %d allows has a good form, and what it forbids is refused',
  async (which) => {
    const document = documents[which] as Json;
    const person = await house.anotherAccount();
    const values = new SchemaValues(document['components'].schemas);
    const wrong: string[] = [];
    for (const [path, methods] of Object.entries(document['paths'] as Json))
      for (const [method, operation] of Object.entries(methods as Json)) {
        const name = `${method.toUpperCase()} ${path}`;
        if (left.has(name)) continue;
        const ask = (request: { path: string; body?: unknown }): Promise<HouseAnswer> => {
          const given = 'body' in request ? { body: request.body } : {};
          return which === 0
            ? person.api(method.toUpperCase(), request.path, given)
            : person.session(method.toUpperCase(), request.path, given);
        };
        const { allowed, forbidden } = requestsOf(document, values, path, operation as Json);
        const tell = (what: string, request: object, { status, body }: HouseAnswer) =>
          wrong.push(
            `${name} ${what} ${status} ${JSON.stringify(body)}: ${JSON.stringify(request)}`.slice(0, 700),
          );
        await Promise.all([
          ...allowed.map(async (request) => {
            const answer = await ask(request);
            if (answer.status === 400 && ofForm.has(answer.body.code) && !isExcused(answer))
              tell('allowed', request, answer);
            if (answer.status === 500) tell('broke', request, answer);
          }),
          ...forbidden.map(async (request) => {
            const answer = await ask(request);
            if (answer.status < 300 || answer.status === 500) tell('forbidden', request, answer);
          }),
        ]);
      }
    if (wrong.length > 0) throw new Error(`with the seed ${seed}:\n${wrong.join('\n')}`);
  },
  120_000,
);
