import * as contracts from '@carillon/contracts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** What one user of NATS needs: found in what its program says to the bus, never written by hand. */
export interface BusAccess {
  readonly user: string;
  /** Subjects that it asks. */
  readonly asks: readonly string[];
  /** True for a service: it answers `rpc.<user>.…`, in the queue group of its name. */
  readonly answers: boolean;
  /** Topics of the signals that it sends. */
  readonly sends: readonly string[];
  /** Topics of the signals that it hears. */
  readonly hears: readonly string[];
  /** True for the user that writes the stream of published events. */
  readonly publishes: boolean;
}

/** The use of the bus that the source of some files shows. */
interface BusUse {
  readonly asks: Set<string>;
  readonly handles: Set<string>;
  readonly sends: Set<string>;
  readonly hears: Set<string>;
  readonly libs: Set<string>;
  publishes: boolean;
}

const nothing = (): BusUse => ({
  asks: new Set(),
  handles: new Set(),
  sends: new Set(),
  hears: new Set(),
  libs: new Set(),
  publishes: false,
});

const exported: Readonly<Record<string, unknown>> = { ...contracts };

/** The subject of `Push.device`, where that is a contract. */
function subjectOf(group: string, name: string): string | undefined {
  const found = exported[group];
  const contract = found instanceof Object ? (found as Record<string, unknown>)[name] : undefined;
  const subject = contract instanceof Object ? (contract as { subject?: unknown }).subject : undefined;
  return typeof subject === 'string' ? subject : undefined;
}

/** What every service answers to the operator's tools. */
const operations = contracts.serviceNames.flatMap((name) =>
  Object.values(contracts.operationsOf(name)).map(({ subject }) => subject),
);

const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|(^|\/)testbed\.ts$/.test(file))
    .map((file) => join(folder, file));

/** Adds what one file says. */
function listen(file: string, said: BusUse): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const imported = new Map<string, string>();
  const topicOf = (node: ts.Node | undefined): string => {
    if (node && ts.isStringLiteral(node)) return node.text;
    const value = node && ts.isIdentifier(node) ? exported[imported.get(node.text) ?? ''] : undefined;
    if (typeof value !== 'string') throw new Error(`${file}: the topic of a signal is not found`);
    return value;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const from = node.moduleSpecifier.text;
      const bindings = node.importClause?.namedBindings;
      if (from === '@nats-io/jetstream') said.publishes = true;
      if (from.startsWith('@carillon/')) said.libs.add(from.slice('@carillon/'.length));
      if (from === '@carillon/contracts' && bindings && ts.isNamedImports(bindings))
        for (const { name, propertyName } of bindings.elements)
          imported.set(name.text, (propertyName ?? name).text);
      return;
    }
    if (ts.isPropertyAccessExpression(node)) {
      // `Push.device`
      const subject = subjectOf(imported.get(node.expression.getText()) ?? '', node.name.text);
      if (subject !== undefined && !ts.isPropertyAccessExpression(node.parent)) {
        const called = ts.isCallExpression(node.parent) ? node.parent.expression.getText() : '';
        (called === 'Handles' ? said.handles : said.asks).add(subject);
      }
    }
    if (ts.isCallExpression(node)) {
      if (ts.isIdentifier(node.expression) && imported.get(node.expression.text) === 'healthOf')
        for (const name of contracts.serviceNames) said.asks.add(contracts.healthOf(name).subject);
      if (ts.isIdentifier(node.expression) && imported.get(node.expression.text) === 'operationsOf')
        for (const subject of operations) said.asks.add(subject);
      if (ts.isPropertyAccessExpression(node.expression)) {
        const method = node.expression.name.text;
        if (method === 'signal' && node.arguments.length > 1) said.sends.add(topicOf(node.arguments[0]));
        if (method === 'onSignal' || method === 'onSignalOf') said.hears.add(topicOf(node.arguments[0]));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** The libs that use the bus on behalf of their importers. */
const speaking = ['push-client', 'web-app-views'];
/** What every connection of ours hears: that a service is back. */
const isBack = 'bus.back';
/** What every replica of a service hears and says, in `libs/runtime`. */
const { replicasAsked, replicaTold } = contracts;

function saidBy(root: string, app: string): BusUse {
  const said = nothing();
  for (const file of sourcesOf(join(root, 'apps', app, 'src'))) listen(file, said);
  for (const lib of speaking.filter((each) => said.libs.has(each)))
    for (const file of sourcesOf(join(root, 'libs', lib, 'src'))) listen(file, said);
  return said;
}

/** The bus permissions of the gateway, each service, and the operator's tools. */
export function readBusAccess(root: string): BusAccess[] {
  const services = new Map(contracts.serviceNames.map((name) => [name, saidBy(root, name)]));
  const answered = new Set([...services.values()].flatMap(({ handles }) => [...handles]));
  for (const name of contracts.serviceNames) answered.add(contracts.healthOf(name).subject);
  for (const subject of operations) answered.add(subject);
  const accessOf = (user: string, said: BusUse, answers: boolean): BusAccess => ({
    user,
    // What nobody answers on the bus is no question on it: a row of the gateway's that it answers itself.
    asks: [...said.asks].filter((subject) => answered.has(subject)).sort(),
    answers,
    sends: [...new Set([...said.sends, ...(answers ? [replicaTold] : [])])].sort(),
    hears: [...new Set([...said.hears, isBack, ...(answers ? [replicasAsked] : [])])].sort(),
    publishes: said.publishes,
  });
  return [
    accessOf('gateway', saidBy(root, 'gateway'), false),
    ...[...services].map(([name, said]) => accessOf(name, said, true)),
    accessOf('operator', saidBy(root, 'operator'), false),
  ];
}

interface User {
  readonly name: string;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  readonly answers: boolean;
}

const stream = contracts.publishedStream;

function userOf({ user, asks, answers, sends, hears, publishes }: BusAccess): User {
  const published = [
    '$JS.API.INFO',
    ...['INFO', 'CREATE', 'UPDATE', 'MSG.GET'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
  ];
  return {
    name: user,
    answers,
    publish: [
      ...asks,
      ...sends.map((topic) => `sig.${topic}.*`),
      ...(answers ? [`sig.${isBack}.${user}`] : []),
      ...(publishes ? [contracts.publishedSubjects, ...published] : []),
    ],
    subscribe: [
      `_INBOX.${user}.>`,
      ...hears.map((topic) => `sig.${topic}.*`),
      ...(answers ? [`rpc.${user}.> ${user}`] : []),
    ],
  };
}

/** A program beside Carillon that reads the published events, and nothing else. */
const eventReader: User = {
  name: 'events',
  answers: false,
  publish: [
    '$JS.API.INFO',
    `$JS.API.STREAM.INFO.${stream}`,
    ...['CREATE', 'DURABLE.CREATE', 'INFO', 'MSG.NEXT', 'DELETE'].map(
      (verb) => `$JS.API.CONSUMER.${verb}.${stream}.>`,
    ),
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.ACK.${stream}.>`,
    `$JS.FC.${stream}.>`,
  ],
  subscribe: ['_INBOX.events.>'],
};

/** The setting with a user's password, which the server's configuration takes from elsewhere. */
const passwordOf = (user: string): string => `${user.replaceAll('-', '_').toUpperCase()}_PASSWORD`;

/** Where the server looks for the passwords, beside the configuration. */
export const passwordsIncluded = 'include ./passwords.conf\n';

/** The users of the closed bus as a part of nats-server's configuration; passwords are variables of it (ADR 41). */
export function natsAccounts(access: readonly BusAccess[]): string {
  const list = (subjects: readonly string[]): string =>
    `[\n${subjects.map((subject) => `            ${JSON.stringify(subject)}\n`).join('')}          ]`;
  const users = [...access.map(userOf), eventReader].map(({ name, publish, subscribe, answers }) =>
    [
      '      {',
      `        user: ${JSON.stringify(name)}, password: $${passwordOf(name)}`,
      '        permissions {',
      `          publish: ${list(publish)}`,
      `          subscribe: ${list(subscribe)}`,
      ...(answers ? ['          allow_responses: true'] : []),
      '        }',
      '      }',
    ].join('\n'),
  );
  return [
    '# Made by `node tools/bus-access.mjs` from the contracts and the services that use them: not to be edited.',
    '# Other users have no rights, and these users no more than they need.',
    // Variables hold in the file that includes them.
    passwordsIncluded.trimEnd(),
    'accounts {',
    '  CARILLON {',
    '    jetstream: enabled',
    '    users: [',
    users.join('\n'),
    '    ]',
    '  }',
    '  SYS { users: [ { user: "sys", password: $SYS_PASSWORD } ] }',
    '}',
    'system_account: SYS',
    '',
  ].join('\n');
}

/** The users with a password each, as the configuration's variables. */
export const natsPasswords = (passwords: Readonly<Record<string, string>>): string =>
  Object.entries(passwords)
    .map(([user, password]) => `${passwordOf(user)}: ${JSON.stringify(password)}\n`)
    .join('');

/** Compose mounts it too: a Helm chart reads no file outside its own folder. */
export const busAccessFile = 'k8s/chart/files/nats/accounts.conf';
