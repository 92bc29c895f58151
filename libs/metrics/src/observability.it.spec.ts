import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@carillon/testkit';
import { load } from 'js-yaml';
import { collectDefaultMetrics } from 'prom-client';
import { registry } from './metrics';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'deploy/observability');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
  readonly annotations?: { readonly summary: string; readonly runbook_url: string };
}
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const { groups } = load(read('deploy/observability/rules.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const ruleTests = ['rules.test.yaml', 'rules-days.test.yaml'];
const tests = ruleTests.flatMap(
  (file) =>
    (
      load(read(`deploy/observability/${file}`)) as {
        tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
      }
    ).tests,
);
const dashboards = readdirSync(folder).filter((file) => file.endsWith('.dashboard.json'));
const panels = dashboards.flatMap(
  (file) => (JSON.parse(read(`deploy/observability/${file}`)) as { panels: Panel[] }).panels,
);

collectDefaultMetrics({ register: registry });
/** Every name under which a metric of the code can be asked for. */
const known = new Set(['up', ...rules.flatMap(({ record }) => record ?? [])]);
beforeAll(async () => {
  for (const { name, type } of await registry.getMetricsAsJSON()) {
    known.add(name);
    if (String(type) === 'histogram')
      for (const end of ['bucket', 'count', 'sum']) known.add(`${name}_${end}`);
  }
});
const metricsIn = (expr: string): string[] =>
  expr.replaceAll(/"[^"]*"/g, '').match(/\b(?:carillon[_:]|nodejs_|process_)[\w:]+|\bup\b/g) ?? [];

let promtool: string;
beforeAll(async () => {
  promtool = await findProgram({ what: 'promtool', names: ['promtool'], packages: ['prometheus'] });
}, 300_000);
const run = (...args: string[]): string => execFileSync(promtool, args, { cwd: folder, encoding: 'utf8' });

describe('the rules for Prometheus', () => {
  it('are rules', () => expect(run('check', 'rules', 'rules.yaml')).toContain('SUCCESS'));

  it('ring for what they are about, and not for what is usual', () =>
    expect(run('test', 'rules', ...ruleTests)).toContain('SUCCESS'));

  it('ask for nothing that no process tells', () =>
    expect(rules.flatMap(({ expr }) => metricsIn(expr)).filter((name) => !known.has(name))).toEqual([]));

  it.each(alerts.map((rule) => [rule.alert!, rule] as const))(
    'have a test that it rings, and a page that says what to do: %s',
    (name, { labels, annotations }) => {
      const rung = tests.some(({ alert_rule_test: looks }) =>
        looks.some(({ alertname, exp_alerts: expected }) => alertname === name && expected.length > 0),
      );
      expect(rung).toBe(true);
      expect(['page', 'ticket']).toContain(labels?.severity);
      const page = read(annotations!.runbook_url);
      expect(page.startsWith(`# ${name}\n`)).toBe(true);
      const parts = ['What it means', 'What to look at', 'What to do', 'How to know that it is over'];
      expect([...page.matchAll(/^## (.*)$/gm)].map(([, part]) => part)).toEqual(parts);
    },
  );
});

describe('the pages for alerts', () => {
  const pages = readdirSync(join(root, 'docs/runbooks'));
  /** People decide this: no metric tells it. */
  const withoutAlert = 'docs/runbooks/lost-region.md';

  it('are those of alerts that there are', () =>
    expect(pages.map((page) => `docs/runbooks/${page}`).sort()).toEqual(
      [...alerts.map(({ annotations }) => annotations!.runbook_url), withoutAlert].sort(),
    ));

  it.each(pages)('name metrics and tools that there are: %s', (page) => {
    const text = read(`docs/runbooks/${page}`);
    expect(metricsIn(text.replaceAll(/\bup\b/g, '')).filter((name) => !known.has(name))).toEqual([]);
    for (const [, tool] of text.matchAll(/node (tools\/\w+\.mjs)/g)) expect(() => read(tool!)).not.toThrow();
  });
});

describe('the dashboards', () => {
  it('are more than one, each panel with a title and something to show', () => {
    expect(dashboards.length).toBeGreaterThan(1);
    expect(panels.filter(({ title, targets }) => !title || targets.length === 0)).toEqual([]);
  });

  it('ask for nothing that no process tells', () =>
    expect(
      panels
        .flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)))
        .filter((name) => !known.has(name)),
    ).toEqual([]));

  it('show every metric of ours that a rule or a person could need', () => {
    const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))).join(' ');
    const names = rules.flatMap(({ expr }) => metricsIn(expr)).join(' ');
    const silent = registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('carillon_') && !`${shown} ${names}`.includes(name));
    expect(silent).toEqual([]);
  });
});
