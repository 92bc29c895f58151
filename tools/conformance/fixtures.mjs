// What the conformance suite expects a server to offer: its tools, resources and prompts, as its scenarios describe them.
// `node --import` loads this before the standalone: the endpoint then serves these instead of the tools of Carillon, behind
// the same gateway. Carillon itself has no resources and prompts, asks a client for nothing, and keeps no session.
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpService } from '../../dist/apps/gateway/src/mcp/mcp.service.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = (value) => ({ type: 'text', text: value });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const says = (...content) => ({ content });
const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });

const elicit = (message, properties, required = Object.keys(properties)) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
});
const askName = elicit('What is your name?', { name: { type: 'string' } });
const sample = (question, maxTokens) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(question) }], maxTokens },
});
const needs = (inputRequests, requestState) => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

const key = randomBytes(32);
const sealed = (state) => `${state}.${createHmac('sha256', key).update(state).digest('base64url')}`;
/** The state that a client sends back; throws when it is not one of ours. */
function opened(sdk, given) {
  const [state] = String(given).split('.');
  const [ours, theirs] = [Buffer.from(sealed(state)), Buffer.from(String(given))];
  if (ours.length === theirs.length && timingSafeEqual(ours, theirs)) return state;
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'The state is not one of this server.');
}

/** A tool that asks the client for all of `requests` in its first round. */
const asking =
  (requests, done, state) =>
  ({ mcpReq }, sdk) => {
    const { inputResponses: given } = mcpReq;
    if (given && state !== undefined) opened(sdk, mcpReq.requestState());
    const isComplete = Object.keys(requests).every(
      (name) => sdk.inputResponse(given, name).kind !== 'missing',
    );
    return isComplete ? says(text(done(given))) : needs(requests, state && sealed(state));
  };

async function logs({ mcpReq }) {
  for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', line, 'conformance');
    await sleep(50);
  }
  return says(text('Logged three times.'));
}

async function progresses({ mcpReq }) {
  const { progressToken } = mcpReq._meta ?? {};
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    await sleep(50);
  }
  return says(text('Done.'));
}

function missesCapability(_context, sdk, declared) {
  if (declared.sampling) return says(text('The client can sample.'));
  throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
}

function withinCapabilities(_context, _sdk, declared) {
  return needs({
    ...(declared.elicitation && { user_name: askName }),
    ...(declared.sampling && { greeting: sample('Generate a greeting', 50) }),
  });
}

function inRounds({ mcpReq }, sdk) {
  const state = mcpReq.inputResponses ? opened(sdk, mcpReq.requestState()) : undefined;
  if (state === undefined)
    return needs(
      { step1: elicit('Step 1: What is your name?', { name: { type: 'string' } }) },
      sealed('round-1'),
    );
  if (state === 'round-1')
    return needs(
      { step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
      sealed('round-2'),
    );
  return says(text('Both steps are done.'));
}

/** Of each kind that a form can offer. */
const enums = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled('value1', 'value2', 'value3') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled('value1', 'value2', 'value3') } },
};
const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
function titled(...values) {
  return values.map((value) => ({ const: value, title: `Title of ${value}` }));
}
/** A form of 2025, to whose client the package itself sends what a tool needs. */
const form = (message, properties) =>
  asking(
    { form: elicit(message, properties, []) },
    ({ form: { action, content } }) =>
      `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`,
  );

const confirm = { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) };

const tools = {
  test_simple_text: () => says(text('This is a simple text response for testing.')),
  test_image_content: () => says(image),
  test_audio_content: () => says({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    says(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: () =>
    says(
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_tool_with_logging: logs,
  test_logging_tool: logs,
  test_tool_with_progress: progresses,
  test_error_handling: () => ({
    ...says(text('This tool intentionally returns an error for testing')),
    isError: true,
  }),
  test_missing_capability: missesCapability,
  test_streaming_elicitation: asking({ user_name: askName }, () => 'Thank you.'),
  test_input_required_result_elicitation: asking(
    { user_name: askName },
    (given) => `Hello, ${given.user_name.content?.name}!`,
  ),
  test_input_required_result_sampling: asking(
    { capital_question: sample('What is the capital of France?', 100) },
    (given) => JSON.stringify(given.capital_question.content),
  ),
  test_input_required_result_list_roots: asking(
    { client_roots: { method: 'roots/list', params: {} } },
    (given) => JSON.stringify(given.client_roots.roots),
  ),
  test_input_required_result_request_state: asking(confirm, () => 'state-ok', 'confirming'),
  test_input_required_result_tampered_state: asking(confirm, () => 'state-ok', 'confirming'),
  test_input_required_result_multiple_inputs: asking(
    {
      user_name: askName,
      greeting: sample('Generate a greeting', 50),
      client_roots: { method: 'roots/list', params: {} },
    },
    () => 'All three are here.',
    'asking',
  ),
  test_input_required_result_multi_round: inRounds,
  test_input_required_result_capabilities: withinCapabilities,
  test_sampling: asking(
    { answer: sample('Test prompt for sampling', 100) },
    (given) => `LLM response: ${given.answer.content.text}`,
  ),
  test_elicitation: form('Please provide your information', {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  }),
  test_elicitation_sep1034_defaults: form('Please check the defaults', defaults),
  test_elicitation_sep1330_enums: form('Please choose', enums),
  json_schema_2020_12_tool: () => says(text('Valid.')),
  test_custom_header: () => says(text('The header is that of the argument.')),
};

const string = { type: 'string' };
/** Of the tools whose arguments the suite looks at; all others take any. */
const schemas = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } },
    },
    properties: {
      name: string,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: string,
      email: string,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
  test_custom_header: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  },
};

const user = (content) => ({ role: 'user', content });
const argument = (name) => ({ name, required: true });
const prompts = {
  test_simple_prompt: { get: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    arguments: [argument('arg1'), argument('arg2')],
    get: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: [argument('resourceUri')],
    get: ({ resourceUri }) => [
      user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: { get: () => [user(image), user(text('Please analyze the image above.'))] },
  test_input_required_result_prompt: {
    asks: { user_context: elicit('What context should the prompt use?', { context: { type: 'string' } }) },
    get: () => [user(text('With your context.'))],
  },
};

const resources = {
  'test://static-text': {
    name: 'Static text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { name: 'Static image', mimeType: 'image/png', blob: png },
  'test://watched-resource': { name: 'Watched', mimeType: 'text/plain', text: 'Watched resource content' },
};
const template = 'test://template/{id}/data';

function contentOf(sdk, uri) {
  const { name: _name, ...known } = resources[uri] ?? {};
  if (known.mimeType) return { uri, ...known };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined)
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}

const described = (name) => `The fixture ${name} of the conformance suite.`;
const cached = { ttlMs: 0, cacheScope: 'private' };
const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list'];

McpService.prototype.serverFor = function serverFor(sdk) {
  const changing = (list) => async () => {
    const { notify } = await this.handler;
    notify[list]();
    return says(text('The list has changed.'));
  };
  const offered = {
    ...tools,
    test_trigger_tool_change: changing('toolsChanged'),
    test_trigger_prompt_change: changing('promptsChanged'),
  };
  const mcp = new sdk.McpServer(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true },
        logging: {},
        completions: {},
      },
      cacheHints: Object.fromEntries(lists.map((method) => [method, cached])),
    },
  );
  // The package compares headers with the arguments of a tool that says so in its schema.
  mcp.toolInputSchemaJson = (name) => schemas[name];
  const handle = (method, answer) => mcp.server.setRequestHandler(method, answer);
  const declaredBy = ({ mcpReq }) =>
    mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ??
    mcp.server.getClientCapabilities() ??
    {};
  handle('tools/list', () => ({
    tools: Object.keys(offered).map((name) => ({
      name,
      description: described(name),
      inputSchema: schemas[name] ?? { type: 'object' },
    })),
  }));
  handle('tools/call', ({ params: { name } }, context) => {
    if (!Object.hasOwn(offered, name))
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
    return offered[name](context, sdk, declaredBy(context));
  });
  handle('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { name, mimeType }]) => ({ uri, name, mimeType })),
  }));
  handle('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: template, name: 'Template', mimeType: 'application/json' }],
  }));
  handle('resources/read', ({ params: { uri } }) => ({ contents: [contentOf(sdk, uri)] }));
  handle('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { arguments: of }]) => ({
      name,
      description: described(name),
      ...(of && { arguments: of }),
    })),
  }));
  handle('prompts/get', ({ params }, { mcpReq }) => {
    const prompt = prompts[params.name];
    if (prompt.asks && !mcpReq.inputResponses) return needs(prompt.asks);
    return { messages: prompt.get(params.arguments ?? {}) };
  });
  handle('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
  handle('logging/setLevel', () => ({}));
  handle('resources/subscribe', () => ({}));
  handle('resources/unsubscribe', () => ({}));
  return mcp;
};

const { load } = McpService.prototype;
/** Clients of 2025 that shake hands get a session here, since the suite has their server ask them, which needs one. */
McpService.prototype.load = async function loadWithSessions() {
  const sdk = await import('@modelcontextprotocol/server');
  const stateless = await load.call(this);
  const sessions = new Map();
  const began = async () => {
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await this.serverFor(sdk).connect(transport);
    return transport;
  };
  const fetch = async (request, options) => {
    if (!(await sdk.isLegacyRequest(request, options.parsedBody))) return stateless.fetch(request, options);
    const isHandshake = options.parsedBody?.method === 'initialize';
    const session = isHandshake ? await began() : sessions.get(request.headers.get('mcp-session-id'));
    return session ? session.handleRequest(request, options) : stateless.fetch(request, options);
  };
  return { ...stateless, fetch };
};
