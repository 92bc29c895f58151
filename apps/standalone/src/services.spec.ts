import * as contracts from '@carillon/contracts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modules } from './services';

const root = join(import.meta.dirname, '../../..');
const text = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const folders = (top: string): string[] => readdirSync(join(root, top));
const tagsOf = (top: string, folder: string): string[] => JSON.parse(text(top, folder, 'project.json')).tags;

/** The services that there are, as their folders say. */
const services = folders('apps').filter((app) => tagsOf('apps', app).includes('layer:service-app'));

describe('a service that has a folder', () => {
  it('is started by the standalone', () => {
    expect(services.length).toBeGreaterThan(5);
    expect(Object.keys(modules).sort()).toEqual(services);
  });

  it('is asked whether it is ready', () => expect([...contracts.serviceNames].sort()).toEqual(services));

  it.each(services)('starts alone under the name of its folder: %s', (name) => {
    expect(text('apps', name, 'src/main.ts')).toContain(`name: '${name}'`);
    expect(text('apps', name, `src/${name}.module.ts`)).toContain(`name: '${name}',`);
  });
});

describe('a question on the bus', () => {
  const isContract = (value: unknown): boolean =>
    value instanceof Object && 'subject' in value && typeof value.subject === 'string';
  const questions = Object.entries(contracts).flatMap(([group, all]) =>
    Object.entries(all)
      .filter(([, each]) => isContract(each))
      .map(([name]) => `${group}.${name}`),
  );
  const filesOf = (app: string, end: string, top = 'apps'): string[] =>
    readdirSync(join(root, top, app, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(end) && !file.endsWith('.spec.ts'))
      .map((file) => text(top, app, 'src', file));
  const handlers = services.flatMap((app) => filesOf(app, '.handlers.ts')).join();
  /** What only the gateway knows to answer, such as a long wait, its controller answers itself. */
  const controllers = filesOf('gateway', '.controller.ts').join();
  const isAnswered = (question: string): boolean =>
    handlers.includes(`@Handles(${question})`) || controllers.includes(`contract: ${question} `);

  const askers = ['apps', 'libs']
    .flatMap((top) => folders(top).flatMap((layer) => filesOf(layer, '.ts', top)))
    .join();
  /** Of a service that is being built: nobody asks it yet. */
  const awaited = ['Teams.memberships'];
  const isAsked = (question: string): boolean =>
    new RegExp(`(?<!@Handles\\()\\b${question}\\b(?!\\.subject)`).test(askers);

  it('is asked by somebody: a route, another service, or the operator', () =>
    expect(questions.filter((question) => !isAsked(question) && !awaited.includes(question))).toEqual([]));

  it('is answered by somebody', () => {
    expect(questions.length).toBeGreaterThan(50);
    expect(questions.filter((question) => !isAnswered(question))).toEqual([]);
  });
});

describe('a layer', () => {
  const layers = ['apps', 'libs'].flatMap((top) => folders(top).map((folder) => [top, folder] as const));

  it.each(layers)('has import rules that lint knows: %s/%s', (top, folder) => {
    const [tag] = tagsOf(top, folder).filter((each) => each.startsWith('layer:'));
    // Written out, since importing the configuration of lint loads all of lint.
    expect(text('eslint.config.mjs')).toMatch(new RegExp(`^  '?${tag?.replace('layer:', '')}'?: \\[`, 'm'));
  });

  it.each(layers)('is told in docs/architecture.md: %s/%s', (top, folder) =>
    expect(text('docs/architecture.md')).toContain(`| \`${top}/${folder}\` `),
  );
});

describe('a projection', () => {
  const files = ['apps', 'libs'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\/src\/.*\.(projection|process)\.ts$/.test(file) && !file.includes('node_modules'))
      .map((file) => text(top, file)),
  );
  const projections = files.filter((file) => /extends Projection<|implements AnyProjection/.test(file));
  const namesOf = (some: readonly string[]): string[] =>
    some.flatMap((file) => /readonly name = '(\w+)'/.exec(file)?.[1] ?? []).sort();
  const isNaming = (file: string): boolean => file.includes('override accountOf(');
  const decision = text('docs/adr/0057-accounts-set-aside.md').split(
    /by naming it \(`accountOf`\)|The others stop as before|Not chosen/,
  );
  const decided = (part: number): string[] =>
    [...(decision[part] ?? '').matchAll(/`(\w+)`/g)].flatMap(([, name]) => name ?? []).sort();

  it('leaves out an account whose event it cannot apply, or the decision says why it stops', () => {
    expect(projections.length).toBeGreaterThan(30);
    expect(decided(1)).toEqual(namesOf(projections.filter(isNaming)));
    expect(decided(2)).toEqual(namesOf(projections.filter((file) => !isNaming(file))));
  });
});
