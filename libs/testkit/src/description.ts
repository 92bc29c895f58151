import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** As much of an answer as a description speaks about. */
export interface DescribedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

type Node = Record<string, unknown>;

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly form: RegExp;
  readonly responses: Node;
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
  private readonly operations: readonly Operation[];
  private readonly components: Node;
  /** The path that all its routes begin with. */
  readonly base: string;

  constructor(document: unknown) {
    const { servers, paths, components } = document as {
      servers: [{ url: string }];
      paths: Record<string, Node>;
      components: Node;
    };
    this.base = servers[0].url;
    this.components = components;
    this.operations = Object.entries(paths)
      .flatMap(([path, item]) =>
        methods
          .filter((method) => method in item)
          .map((method) => ({
            method: method.toUpperCase(),
            path,
            form: formOf(path),
            responses: (item[method] as Node)['responses'] as Node,
          })),
      )
      // What is written out goes before what a parameter stands for.
      .sort((one, other) => one.path.split('{').length - other.path.split('{').length);
    this.ajv.addFormat('date-time', (value) => instantForm.test(value));
    this.ajv.addFormat('uri', isUrl);
    this.ajv.addFormat('email', true);
    this.ajv.addSchema(closed(document) as Node, 'document');
  }

  /** Whether it speaks about this path at all. */
  covers = (path: string): boolean => path.startsWith(`${this.base}/`);

  /** In what an answer differs from what is described; the path is the whole one, with its query. */
  faults(method: string, path: string, answer: DescribedAnswer): string[] {
    const route = (path.split('?')[0] as string).slice(this.base.length);
    const here = this.operations.filter(({ form }) => form.test(route));
    const operation = here.find((each) => each.method === method);
    const found = operation
      ? this.ofOperation(operation, answer)
      : this.ofNone(here.length > 0 ? [405] : [404, 400], answer, method);
    return found.map((fault) => `${method} ${operation?.path ?? route} ${answer.status}: ${fault}`);
  }

  private ofOperation({ method, path, responses }: Operation, answer: DescribedAnswer): string[] {
    const given = responses[answer.status] as Node | undefined;
    if (!given) return [`this status is not described (${code(answer)})`];
    const at = `#/paths/${escaped(path)}/${method.toLowerCase()}/responses/${answer.status}`;
    const ref = given['$ref'] as string | undefined;
    const [response, pointer] = ref === undefined ? [given, at] : [this.resolved(ref), ref];
    const faults = Object.entries((response['headers'] ?? {}) as Node)
      .filter(([, header]) => this.whole(header as Node)['required'] === true)
      .filter(([name]) => !answer.headers.has(name))
      .map(([name]) => `the header ${name} is missing`);
    const codes = response['x-error-codes'] as readonly string[] | undefined;
    if (codes && !codes.includes(code(answer))) faults.push(`the code ${code(answer)} is not described`);
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] as string;
    const content = response['content'] as Node;
    if (!(type in content)) return [...faults, `the media type "${type}" is not described`];
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

  private whole(node: Node): Node {
    const ref = node['$ref'];
    return typeof ref === 'string' ? this.resolved(ref) : node;
  }

  private resolved(ref: string): Node {
    const [, kind, name] = /^#\/components\/([a-zA-Z]+)\/(.+)$/.exec(ref) ?? [];
    return (this.components[kind ?? ''] as Node)[name ?? ''] as Node;
  }
}

const code = ({ body }: DescribedAnswer): string => String((body as { code?: unknown } | null)?.code);

const escaped = (path: string): string =>
  encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));

const formOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split('/')
      .map((part) => (/^\{.+\}$/.test(part) ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('/')}$`,
  );

/** The same document in which no object has more properties, and no value others, than it names. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const given = node as Node;
  const same = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, closed(value)]));
  const { type, properties, 'x-extensible-enum': known } = given;
  if (type === 'object' && typeof properties === 'object' && !('additionalProperties' in given))
    return { ...same, additionalProperties: false };
  if (Array.isArray(known))
    return {
      ...same,
      enum: Array.isArray(type) && type.includes('null') ? [...(known as unknown[]), null] : known,
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
