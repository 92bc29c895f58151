import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** As much of an answer as a description speaks about. */
export interface DescribedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

type Node = Record<string, unknown>;

interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly form: RegExp;
  readonly responses: Node;
  /** By status, where the response does not list them itself. */
  readonly codes: Node;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** Times go out in exactly one form. */
const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Holds answers to an OpenAPI document, more strictly than a client should: no property that is not described, no
 * value that is not known.
 */
export class ApiDescription {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly checks = new Map<string, ValidateFunction>();
  private readonly operations: readonly DescribedOperation[];
  private readonly components: Node;
  /** The path that all its routes begin with. */
  readonly base: string;

  constructor(document: unknown) {
    const { servers, paths, components } = node(document);
    this.base = String(node(node(servers)[0])['url']);
    this.components = node(components);
    this.operations = Object.entries(node(paths))
      .flatMap(([path, item]) =>
        Object.entries(node(item))
          .filter(([method]) => methods.includes(method))
          .map(([method, operation]) => ({
            method: method.toUpperCase(),
            path,
            form: formOf(path),
            responses: node(node(operation)['responses']),
            codes: node(node(operation)['x-error-codes'] ?? {}),
          })),
      )
      // What is written out goes before what a parameter stands for.
      .sort((one, other) => one.path.split('{').length - other.path.split('{').length);
    this.ajv.addFormat('date-time', (value) => instantForm.test(value));
    this.ajv.addFormat('uri', isUrl);
    this.ajv.addFormat('email', true);
    this.ajv.addSchema(node(closed(document)), 'document');
  }

  /** Whether it speaks about this path at all. */
  covers = (path: string): boolean => path.startsWith(`${this.base}/`);

  /** In what an answer differs from what is described; the path is the whole one, with its query. */
  faults(method: string, path: string, answer: DescribedAnswer): string[] {
    const [whole = ''] = path.split('?');
    const route = whole.slice(this.base.length);
    const here = this.operations.filter(({ form }) => form.test(route));
    const operation = here.find((each) => each.method === method);
    const found = operation
      ? this.ofOperation(operation, answer)
      : this.ofNone(here.length > 0 ? [405] : [404, 400], answer, method);
    return found.map((fault) => `${method} ${operation?.path ?? route} ${answer.status}: ${fault}`);
  }

  private ofOperation(
    { method, path, responses, codes: own }: DescribedOperation,
    answer: DescribedAnswer,
  ): string[] {
    const given = responses[answer.status];
    if (!isNode(given)) return [`this status is not described (${code(answer)})`];
    const at = `#/paths/${escaped(path)}/${method.toLowerCase()}/responses/${answer.status}`;
    const ref = given['$ref'];
    const response = this.whole(given);
    const pointer = typeof ref === 'string' ? ref : at;
    const faults = Object.entries(node(response['headers'] ?? {}))
      .filter(([, header]) => this.whole(node(header))['required'] === true)
      .filter(([name]) => !answer.headers.has(name))
      .map(([name]) => `the header ${name} is missing`);
    const codes = own[answer.status] ?? response['x-error-codes'];
    if (Array.isArray(codes) && !codes.includes(code(answer)))
      faults.push(`the code ${code(answer)} is not described`);
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
    if (!(type in node(response['content']))) return [...faults, `the media type "${type}" is not described`];
    if (type !== 'application/json') return faults;
    return [...faults, ...this.against(`${pointer}/content/application~1json/schema`, answer.body)];
  }

  /** Where nothing is, there is an error that says so. */
  private ofNone(statuses: readonly number[], answer: DescribedAnswer, method: string): string[] {
    if (!statuses.includes(answer.status)) return ['this route is not described'];
    return method === 'HEAD' ? [] : this.against('#/components/schemas/Error', answer.body);
  }

  private against(pointer: string, body: unknown): string[] {
    let check = this.checks.get(pointer);
    if (!check) this.checks.set(pointer, (check = this.ajv.compile({ $ref: `document${pointer}` })));
    if (check(body)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** What is meant, where a node only names it. */
  private whole(given: Node): Node {
    const ref = given['$ref'];
    return typeof ref === 'string' ? this.resolved(ref) : given;
  }

  private resolved(ref: string): Node {
    const [, kind, name] = /^#\/components\/([a-zA-Z]+)\/(.+)$/.exec(ref) ?? [];
    return node(node(this.components[kind ?? ''])[name ?? '']);
  }
}

const code = ({ body }: DescribedAnswer): string => String(isNode(body) ? body['code'] : undefined);

const escaped = (path: string): string =>
  encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));

const formOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split('/')
      .map((part) => (/^\{.+\}$/.test(part) ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('/')}$`,
  );

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** A part of the document that must be there. */
function node(value: unknown): Node {
  if (isNode(value)) return value;
  throw new Error(`the document has ${JSON.stringify(value)} where more must be said`);
}

/** The same document in which no object has more properties, and no value others, than it names. */
function closed(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(closed);
  if (!isNode(given)) return given;
  const same = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, closed(value)]));
  const { type, properties, 'x-extensible-enum': known } = given;
  if (type === 'object' && typeof properties === 'object' && !('additionalProperties' in given))
    return { ...same, additionalProperties: false };
  if (Array.isArray(known))
    return {
      ...same,
      enum: Array.isArray(type) && type.includes('null') ? [...known, null] : known,
    };
  return same;
}

/** Not `URL.canParse`: once it is compiled, that of Node 20 takes no text with letters such as `ü`. */
function isUrl(text: string): boolean {
  try {
    new URL(text);
    return true;
  } catch {
    return false;
  }
}
