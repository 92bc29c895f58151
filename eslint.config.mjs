// Lint, and the boundaries between the layers: allowed imports (the layers: docs/architecture.md, "The layers").
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { readdirSync, readFileSync } from 'node:fs';
import tseslint from 'typescript-eslint';

const drivers = ['typeorm', 'typeorm/*', 'pg', 'pg/*', '@eventstore/*', '@nats-io/*', 'lmdb', 'undici'];
const nest = ['@nestjs/*', 'fastify', '@fastify/*'];
const edge = ['apns2', 'firebase-admin', 'firebase-admin/*'];

/** The layers that a layer may import. All others are forbidden. */
const layers = {
  eventing: [],
  schema: [],
  signing: [],
  audit: ['signing'],
  settings: [],
  metrics: ['settings'],
  tracing: ['settings'],
  destinations: ['eventing', 'settings'],
  contracts: ['eventing', 'schema'],
  bus: ['contracts', 'eventing', 'metrics', 'schema', 'settings', 'tracing'],
  'event-store': ['eventing', 'metrics', 'signing', 'settings', 'tracing'],
  runtime: ['bus', 'contracts', 'event-store', 'eventing', 'metrics', 'signing', 'settings', 'tracing'],
  'push-client': ['bus', 'contracts', 'eventing', 'runtime'],
  membership: ['contracts', 'event-store', 'eventing', 'signing'],
  'web-app-views': ['contracts', 'event-store', 'eventing', 'membership', 'signing'],
  client: [],
  testkit: ['contracts', 'eventing', 'signing'],
  gateway: [
    'audit',
    'bus',
    'contracts',
    'eventing',
    'metrics',
    'runtime',
    'schema',
    'signing',
    'settings',
    'tracing',
  ],
  'service-app': [
    'audit',
    'bus',
    'contracts',
    'destinations',
    'event-store',
    'eventing',
    'membership',
    'metrics',
    'push-client',
    'runtime',
    'schema',
    'web-app-views',
    'signing',
    'settings',
    'tracing',
  ],
  standalone: [
    'bus',
    'contracts',
    'destinations',
    'event-store',
    'eventing',
    'membership',
    'metrics',
    'push-client',
    'runtime',
    'web-app-views',
    'signing',
    'settings',
    'tracing',
  ],
  operator: ['audit', 'bus', 'contracts', 'event-store', 'eventing', 'runtime', 'settings'],
  'connector-gateway': ['settings', 'signing'],
  cli: ['client'],
  console: ['client'],
  certify: ['testkit'],
  alone: [],
};

/** Tests of every layer may use the testkit, except the layers that the testkit imports. */
const withTests = (allowed) => ['testkit', ...allowed].map((layer) => `layer:${layer}`);

const boundaries = (allow) => [
  'error',
  {
    allow,
    enforceBuildableLibDependency: false,
    depConstraints: Object.entries(layers).map(([layer, allowed]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: withTests(allowed),
    })),
  },
];

const appModules = {
  group: ['@carillon/app-*'],
  message: 'Only standalone and some files of operator import from apps.',
};
const testkit = { group: ['@carillon/testkit'], message: 'The testkit is for tests.' };
const ban = (message, ...groups) => ({ group: groups.flat(), message });
const imports = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });
const restrict = (...patterns) =>
  imports(...patterns, ban('Spans are begun with @carillon/tracing.', ['@opentelemetry/*']));

const specs = ['**/*.spec.ts'];
/** Apps that decide something of their own: their nouns are pure. */
const services = readdirSync(new URL('apps', import.meta.url)).filter((app) =>
  JSON.parse(readFileSync(new URL(`apps/${app}/project.json`, import.meta.url), 'utf8')).tags.includes(
    'layer:service-app',
  ),
);

/** Files of services with a plain name that are not nouns: they speak to the outside or start the process. */
const notNouns = [
  'apps/*/src/main.ts',
  // what the specs of an app have in common
  'apps/*/src/**/testbed.ts',
  // transports to the push providers and what they need
  'apps/push/src/transport/**/*.ts',
  'apps/*/src/migrations/**',
];

const pureSyntax = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Time arrives as an argument.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Time arrives as an argument.',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Chance arrives as an argument.',
  },
  {
    selector: 'CallExpression[callee.property.name=/^random(UUID|Bytes|Int)$/]',
    message: 'Ids arrive as arguments.',
  },
  { selector: 'CallExpression[callee.name=/^random(UUID|Bytes|Int)$/]', message: 'Ids arrive as arguments.' },
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Settings arrive as arguments.',
  },
];

const roles =
  '{handlers,projection,entity,process,worker,client,service,upcasters,module,controller,guard,spec,it.spec,e2e.spec,browser.spec,nightly.spec,contracts,events,docs,d}';

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      'libs/client/src/generated/**',
      'dist/**',
      '.carillon/**',
      '.nx/**',
      'coverage/**',
      '.tmp/**',
    ],
  },
  {
    files: ['**/*.{ts,tsx,mjs,js}'],
    extends: [tseslint.configs.recommended],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      // A class that Nest injects must be imported as a value: the rule on type imports leaves such files alone.
      parserOptions: { experimentalDecorators: true, emitDecoratorMetadata: true },
    },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-var': 'error',
      'prefer-const': 'error',
      'object-shorthand': 'error',
      'no-console': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-empty-object-type': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  { files: specs, rules: { '@typescript-eslint/no-explicit-any': 'off' } },

  // Between projects
  {
    files: ['{apps,libs}/**/*.{ts,tsx}'],
    plugins: { '@nx': nx },
    rules: { '@nx/enforce-module-boundaries': boundaries([]), ...restrict(appModules, testkit) },
  },
  {
    files: ['apps/standalone/**/*.ts', 'apps/operator/src/{backup-file,modules,secrets}.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries(['@carillon/app-*']), ...restrict(testkit) },
  },
  {
    // certify is a test that is a program.
    files: ['libs/testkit/**/*.ts', 'apps/*/src/**/testbed.ts', 'apps/certify/**/*.ts'],
    rules: restrict(appModules),
  },

  // Inside a project
  {
    files: ['libs/{eventing,signing}/src/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban('A pure layer: no framework, no drivers, no I/O.', nest, drivers, edge),
    ),
  },
  {
    files: ['libs/client/src/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban('The client runs in browsers and scripts too.', ['node:*'], nest, drivers, edge),
    ),
  },
  {
    files: ['libs/schema/src/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban(
        'The schema layer knows class-validator only: no framework, no drivers, no I/O.',
        nest,
        drivers,
        edge,
      ),
    ),
  },
  {
    files: ['libs/contracts/src/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban('Contracts know shapes only.', nest, drivers, edge),
      ban('The rules of inputs are in @carillon/schema.', ['class-transformer', 'class-validator']),
    ),
  },
  {
    files: ['libs/bus/src/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban('The bus knows no store.', ['typeorm', 'pg', '@eventstore/*', 'lmdb'], edge),
    ),
  },
  { files: ['libs/tracing/src/otlp.ts'], rules: imports(appModules, testkit) },
  {
    files: ['apps/gateway/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban('The gateway owns no data: ask a service.', [
        'typeorm',
        'typeorm/*',
        '@nestjs/typeorm',
        'pg',
        'pg/*',
        '@carillon/event-store',
        '@eventstore/*',
        'lmdb',
      ]),
    ),
  },
  {
    files: ['apps/connector-gateway/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban('The program runs elsewhere: it knows Carillon by the Agent API only.', nest, drivers, edge),
    ),
  },
  {
    files: ['apps/cli/**/*.ts'],
    rules: restrict(
      appModules,
      testkit,
      ban('The program runs elsewhere: it knows Carillon by its client only.', nest, drivers, edge),
    ),
  },
  {
    files: ['apps/console/src/**/*.{ts,tsx}'],
    ignores: ['**/testbed.ts', ...specs],
    rules: restrict(
      appModules,
      testkit,
      ban(
        'The console runs in a browser: it knows Carillon by its client only.',
        ['node:*'],
        nest,
        drivers,
        edge,
      ),
    ),
  },
  {
    // One file of a person's machine, without the settings of the services: main.ts hands its environment on.
    files: ['apps/cli/src/**/*.ts'],
    ignores: ['apps/cli/src/main.ts', '**/testbed.ts', ...specs],
    rules: {
      'no-restricted-syntax': ['error', ...pureSyntax.filter(({ selector }) => selector.includes("'env'"))],
    },
  },
  {
    files: services.map((app) => `apps/${app}/src/**/*.ts`),
    ignores: ['**/*.*.ts', ...notNouns],
    rules: {
      ...restrict(
        appModules,
        testkit,
        ban('A noun is pure: it decides, others do.', nest, drivers, edge, [
          '@carillon/bus',
          '@carillon/event-store',
          '@carillon/runtime',
        ]),
        ban('A noun is pure: it does not know who uses it.', [
          '**/*.handlers',
          '**/*.projection',
          '**/*.entity',
          '**/*.process',
          '**/*.worker',
          '**/*.module',
        ]),
        ban('A noun is pure: no I/O.', [
          'fs',
          'node:fs',
          'node:fs/*',
          'net',
          'node:net',
          'http*',
          'node:http*',
          'node:dns*',
        ]),
      ),
      'no-restricted-syntax': ['error', ...pureSyntax],
    },
  },
  {
    files: ['apps/{event-store-emulator,push-simulator}/src/**/*.ts'],
    rules: restrict(ban('This app stands alone: its own files only.', ['@carillon/*', '@nestjs/*'])),
  },
  {
    files: specs,
    ignores: ['apps/{event-store-emulator,push-simulator}/**'],
    rules: restrict(appModules),
  },

  // Names
  {
    files: ['apps/*/src/**/*.*.ts'],
    ignores: [`**/*.${roles}.ts`, 'apps/gateway/src/table/*.table.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'Program', message: 'This file name has a role that the house does not know.' },
      ],
    },
  },
  {
    files: [
      '{apps,libs}/**/{common,shared,utils,util,helpers,helper}/**',
      '{apps,libs}/**/{common,shared,utils,util,helpers,helper}.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'Program', message: 'Name it after the noun it belongs to.' },
      ],
    },
  },
  {
    files: ['apps/*/src/**/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'Program', message: 'No index files in apps: import the file.' },
      ],
    },
  },
  prettier,

  // Size: after prettier, which breaks neither comments nor strings and so turns `max-len` off.
  {
    files: ['{apps,libs}/**/*.{ts,tsx,mjs,js}'],
    rules: {
      'max-len': [
        'error',
        {
          code: 120,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
        },
      ],
    },
  },
  {
    // A file of tests may be longer: it is read one story at a time.
    files: ['{apps,libs}/**/*.{ts,tsx,mjs,js}'],
    ignores: [...specs, 'apps/event-store-emulator/recorded/**'],
    rules: { 'max-lines': ['error', { max: 500, skipBlankLines: false, skipComments: false }] },
  },
);
