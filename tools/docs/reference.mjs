// Writes the reference of both APIs as documents: one for each API, and one for each group of its routes.
import { load } from 'js-yaml';
import { escapedCell, fieldsOf, refOf, typeOf } from './schema.mjs';

const apis = [
  { name: 'agent', title: 'Agent API' },
  { name: 'session', title: 'Session API' },
];
const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** Every route takes these: the document of the API describes them once. */
const ofEveryRoute = ['RequestId', 'ApiVersion', 'Position'];

const slug = (tag) => tag.toLowerCase().replaceAll(' ', '-');
const row = (...cells) => `| ${cells.map(escapedCell).join(' | ')} |`;
const table = (head, rows) =>
  rows.length === 0
    ? []
    : [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells)), ''];

/** Every route of a description, in its order. */
const operationsOf = (description) =>
  Object.entries(description.paths).flatMap(([path, at]) =>
    methods
      .filter((method) => at[method])
      .map((method) => ({
        ...at[method],
        method: method.toUpperCase(),
        path: `${description.servers[0].url}${path}`,
        tag: at[method].tags[0],
      })),
  );

/** The error codes of a route with their sentences, by status. */
function errorsOf(operation, description) {
  const shared = description.components.responses;
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => {
      const { description: common = '', 'x-error-codes': usual } = shared[refOf(response)] ?? {};
      const sentences = new Map(
        [...(response.description ?? common).matchAll(/^`([A-Z_]+)`: (.*)$/gm)].map(([, code, said]) => [
          code,
          said,
        ]),
      );
      const codes = operation['x-error-codes']?.[status] ?? usual ?? [...sentences.keys()];
      return {
        status: Number(status),
        codes: codes.map((code) => ({ code, sentence: sentences.get(code) ?? '' })),
      };
    });
}

const credentials = {
  bearerAuth: 'an API token',
  cookieAuth: 'the cookie of a browser that is signed in',
  appAuth: 'the access token of the phone app',
};

const credentialOf = ({ security }) =>
  security.length === 0
    ? 'No credential.'
    : `Credential: ${security.map((each) => credentials[Object.keys(each)[0]]).join(', or ')}.`;

const fieldTable = (schema, named) =>
  table(
    ['Field', 'Type', 'Description'],
    fieldsOf(schema, named).map(({ name, required, type, words }) => [
      `\`${name}\`${required ? '' : ', optional'}`,
      type,
      words,
    ]),
  );

/** What the fields of a body exclude of each other, where the schema says so. */
const exclusions = ({ allOf = [] }) =>
  allOf
    .flatMap(({ dependentSchemas = {} }) => Object.entries(dependentSchemas))
    .map(([field, { properties = {} }]) => [
      field,
      Object.keys(properties).filter((name) => properties[name] === false),
    ])
    .filter(([, others]) => others.length > 0)
    .map(([field, others]) => `- \`${field}\` excludes ${others.map((each) => `\`${each}\``).join(', ')}.`);

function bodyPart({ requestBody }, { components }, named) {
  const schema = requestBody && components.schemas[refOf(requestBody.content['application/json'].schema)];
  if (!schema) return [];
  const excluded = exclusions(schema);
  return [
    `**Body**${requestBody.required ? '' : ', optional'}`,
    '',
    ...fieldTable(schema, named),
    ...(excluded.length > 0 ? [...excluded, ''] : []),
  ];
}

function parameterPart({ parameters }, { components }, named) {
  const rows = parameters
    .filter((each) => !ofEveryRoute.includes(refOf(each)))
    .map((each) => components.parameters[refOf(each)] ?? each)
    .map(({ name, in: where, required, schema, description = '' }) => [
      `\`${name}\`${required ? '' : ', optional'}`,
      where,
      typeOf(schema, named),
      description || (schema.description ?? ''),
    ]);
  return rows.length === 0
    ? []
    : ['**Parameters**', '', ...table(['Name', 'In', 'Type', 'Description'], rows)];
}

function answerPart({ responses }, named) {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const rows = answers.map(([status, { description, content = {} }]) => {
    const bodies = Object.entries(content).map(([media, { schema }]) =>
      media === 'application/json' ? typeOf(schema, named) : `\`${media}\``,
    );
    return [`\`${status}\``, bodies.join(' or '), description];
  });
  // A body that only this route has is not among the types.
  const own = answers.flatMap(([status, { content = {} }]) => {
    const schema = content['application/json']?.schema;
    return schema?.properties ? [`**Body of ${status}**`, '', ...fieldTable(schema, named)] : [];
  });
  return ['**Answers**', '', ...table(['Status', 'Body', 'Description'], rows), ...own];
}

const errorPart = (operation, description) => [
  '**Errors**',
  '',
  ...table(
    ['Status', 'Codes'],
    errorsOf(operation, description).map(({ status, codes }) => [
      `\`${status}\``,
      codes.map(({ code }) => `[${code}](../../errors.md#${code})`).join(', '),
    ]),
  ),
];

const operationPart = (operation, description, named) => [
  `## ${operation.summary} {#${operation.operationId}}`,
  '',
  '```http',
  `${operation.method} ${operation.path}`,
  '```',
  '',
  operation.description,
  '',
  credentialOf(operation),
  '',
  ...parameterPart(operation, description, named),
  ...bodyPart(operation, description, named),
  ...answerPart(operation, named),
  ...errorPart(operation, description),
];

/** The types that routes name, and those that these name, each once. */
function typePart(named, { components }) {
  const parts = [];
  for (const name of named) {
    const schema = components.schemas[name];
    const fields = schema.type === 'object' || schema.properties ? fieldTable(schema, named) : [];
    parts.push(
      `### ${name} {#type-${name}}`,
      '',
      ...(schema.description ? [schema.description, ''] : []),
      ...(fields.length > 0 ? fields : [typeOf(schema, named), '']),
    );
  }
  return parts.length === 0 ? [] : ['## Types {#types}', '', ...parts];
}

function groupPage(api, description, { name, description: words }, operations) {
  const named = new Set();
  const routes = operations.flatMap((operation) => operationPart(operation, description, named));
  return [
    `# ${name} (${api.title})`,
    '',
    words,
    '',
    ...table(
      ['Route', 'Does'],
      operations.map(({ method, path, summary, operationId }) => [
        `\`${method} ${path}\``,
        `[${summary}](#${operationId})`,
      ]),
    ),
    `The [${api.title}](../${api.name}.md) describes what all of its routes have in common.`,
    '',
    ...routes,
    ...typePart(named, description),
  ].join('\n');
}

function apiPage(api, description, operations) {
  const count = operations.length;
  return [
    `# ${api.title}`,
    '',
    description.info.description,
    '',
    `This is the [OpenAPI description](/openapi/${api.name}.yaml) ([as JSON](/openapi/${api.name}.json)), which also has`,
    'the patterns of texts and the rules between fields that these pages do not show.',
    '',
    '## Headers of every request {#headers}',
    '',
    ...table(
      ['Header', 'Description'],
      ofEveryRoute
        .map((name) => description.components.parameters[name])
        .map(({ name, description: words }) => [`\`${name}\`, optional`, words]),
    ),
    `## All ${count} routes {#routes}`,
    '',
    ...description.tags.flatMap((tag) => [
      `### ${tag.name} {#${slug(tag.name)}}`,
      '',
      `[${tag.name}](${api.name}/${slug(tag.name)}.md): ${tag.description}`,
      '',
      ...table(
        ['Route', 'Does'],
        operations
          .filter((each) => each.tag === tag.name)
          .map(({ method, path, summary, operationId }) => [
            `\`${method} ${path}\``,
            `[${summary}](${api.name}/${slug(tag.name)}.md#${operationId})`,
          ]),
      ),
    ]),
  ].join('\n');
}

/** Every code with its statuses, its sentences and the number of its routes. */
function codesOf(descriptions) {
  const codes = new Map();
  for (const { description, operations } of descriptions)
    for (const operation of operations)
      for (const { status, codes: said } of errorsOf(operation, description))
        for (const { code, sentence } of said) {
          const known = codes.get(code) ?? { statuses: new Set(), sentences: new Set(), routes: 0 };
          codes.set(code, known);
          known.statuses.add(`\`${status}\``);
          if (sentence) known.sentences.add(sentence);
          known.routes += 1;
        }
  return [...codes].sort(([one], [other]) => (one < other ? -1 : 1));
}

const errorTable = (descriptions) => [
  '',
  '## Codes of the APIs {#codes}',
  '',
  'Each group of routes names the codes of each of its routes.',
  '',
  ...table(
    ['Code', 'Status', 'Means', 'Routes'],
    codesOf(descriptions).map(([code, { statuses, sentences, routes }]) => [
      `\`${code}\``,
      [...statuses].join(', '),
      [...sentences].join(' '),
      String(routes),
    ]),
  ),
];

/** `files` are the texts under docs/; gives the documents by their paths, and their names in order. */
export function reference(files) {
  const descriptions = apis.map((api) => {
    const description = load(files.get(`docs/openapi/${api.name}.yaml`));
    return { api, description, operations: operationsOf(description) };
  });
  const made = new Map([
    ['docs/errors.md', `${files.get('docs/errors.md').trimEnd()}\n${errorTable(descriptions).join('\n')}`],
  ]);
  const names = ['errors'];
  for (const { api, description, operations } of descriptions) {
    made.set(`docs/reference/${api.name}.md`, apiPage(api, description, operations));
    names.push(`reference/${api.name}`);
    for (const tag of description.tags) {
      const name = `reference/${api.name}/${slug(tag.name)}`;
      const own = operations.filter((each) => each.tag === tag.name);
      made.set(`docs/${name}.md`, groupPage(api, description, tag, own));
      names.push(name);
    }
  }
  return { files: made, names };
}
