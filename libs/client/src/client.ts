import openapiFetch, { type FetchOptions, type FetchResponse } from 'openapi-fetch';
import { ask, type AskOptions, type Interaction, type Question, waitForAnswer } from './ask';
import { apiError } from './errors';
import type { paths as AgentPaths } from './generated/agent';
import type { paths as SessionPaths } from './generated/session';
import { messages, type MessagesOptions, type WebhookMessage } from './messages';
import { retrying, type RetrySettings } from './retry';

export interface ClientSettings extends Partial<RetrySettings> {
  /** The installation, such as `https://carillon.example`. Empty in a page of its own. */
  readonly url: string;
  /** An API token, or a session's access token. None in a browser that has the cookie. */
  readonly token?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what openapi-fetch's own types say of an operation
type Operation = Record<string | number, any>;

/** The paths that have this method. */
type PathsWith<Paths, V extends Verb> = {
  [P in keyof Paths]: Paths[P] extends Record<V, Operation> ? P : never;
}[keyof Paths];
type OperationOf<Paths, P extends keyof Paths, V extends Verb> =
  Paths[P] extends Record<V, infer Found extends Operation> ? Found : never;
type Options<Found extends Operation> = Omit<FetchOptions<Found>, 'parseAs'>;
/** An operation without required input needs no second argument. */
type OptionsOf<Found extends Operation> =
  Partial<Options<Found>> extends Options<Found> ? [options?: Options<Found>] : [options: Options<Found>];
type AnswerOf<Found extends Operation> = NonNullable<
  FetchResponse<Found, unknown, `${string}/${string}`>['data']
>;

type Call<Paths, V extends Verb> = <P extends PathsWith<Paths, V>>(
  path: P,
  ...options: OptionsOf<OperationOf<Paths, P, V>>
) => Promise<AnswerOf<OperationOf<Paths, P, V>>>;

/** The paths whose answer is a page of a list. */
type ListPath<Paths> = {
  [P in PathsWith<Paths, 'get'>]: AnswerOf<OperationOf<Paths, P, 'get'>> extends {
    nextCursor: string | null;
  }
    ? P
    : never;
}[PathsWith<Paths, 'get'>];

/** Calls by method and path. Each gives the body of the answer, or throws an `ApiError` or a `ConnectionError`. */
export interface Calls<Paths> {
  readonly get: Call<Paths, 'get'>;
  readonly post: Call<Paths, 'post'>;
  readonly put: Call<Paths, 'put'>;
  readonly patch: Call<Paths, 'patch'>;
  readonly delete: Call<Paths, 'delete'>;
  /** Every page of a list, one after the other. */
  pages<P extends ListPath<Paths> & PathsWith<Paths, 'get'>>(
    path: P,
    ...options: OptionsOf<OperationOf<Paths, P, 'get'>>
  ): AsyncGenerator<AnswerOf<OperationOf<Paths, P, 'get'>>, void>;
}

export interface Client extends Calls<AgentPaths> {
  /**
   * Asks a person and waits for the end of the prompt, through restarts of the server. With the same `idempotencyKey`
   * a caller that was restarted itself waits for the prompt that it has asked before.
   */
  ask(question: Question, options?: AskOptions): Promise<Interaction>;
  /** Waits for the end of a prompt that was asked before. */
  waitForAnswer(interaction: Interaction, options?: Pick<AskOptions, 'signal'>): Promise<Interaction>;
  /** What a reply webhook is sent, read without an address of its own: the last 24 hours, then each new message. */
  messages(webhookId: string, options?: MessagesOptions): AsyncGenerator<WebhookMessage, never>;
}

interface Page {
  readonly nextCursor: string | null;
}
interface PageOptions {
  readonly params?: { readonly query?: object };
}

const retryDefaults: RetrySettings = { retries: 4, longestWaitSeconds: 60, timeoutSeconds: 90 };

function callsOf<Paths>(
  prefix: string,
  { url, token, fetch = (request) => globalThis.fetch(request), headers, ...retry }: ClientSettings,
): Calls<Paths> {
  const raw = openapiFetch<Record<string, Record<Verb, Operation>>>({
    baseUrl: url.replace(/\/+$/, '') + prefix,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    fetch: retrying(fetch, { ...retryDefaults, ...retry }),
  });
  const call =
    (verb: Verb) =>
    async (path: string, options: object = {}): Promise<unknown> => {
      // As text: a table is no JSON.
      const { data, error, response } = await raw.request(verb, path, { ...options, parseAs: 'text' });
      if (!response.ok) throw apiError(response, error);
      const isJson = response.headers.get('content-type')?.includes('json') && data;
      return isJson ? JSON.parse(String(data)) : data;
    };
  const get = call('get');
  async function* pages(path: string, options: PageOptions = {}): AsyncGenerator<unknown, void> {
    for (let cursor: string | null | undefined = undefined; cursor !== null;) {
      const query = { ...options.params?.query, ...(cursor !== undefined && { cursor }) };
      const page = (await get(path, { ...options, params: { ...options.params, query } })) as Page;
      yield page;
      cursor = page.nextCursor;
    }
  }
  const calls = {
    get,
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    pages,
  };
  // What the paths say of inputs and answers is known to the types alone.
  return calls as unknown as Calls<Paths>;
}

/** The Agent API. */
export function createClient(settings: ClientSettings): Client {
  const calls = callsOf<AgentPaths>('/api/agent', settings);
  return {
    ...calls,
    ask: (question, options) => ask(calls, question, options),
    waitForAnswer: (interaction, options) => waitForAnswer(calls, interaction, options),
    messages: (webhookId, options) => messages(calls, webhookId, options),
  };
}

/** The Session API: what a signed-in person does. */
export const createSessionClient = (settings: ClientSettings): Calls<SessionPaths> =>
  callsOf<SessionPaths>('/api/session', settings);
