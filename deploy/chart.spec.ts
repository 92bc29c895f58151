import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@carillon/contracts';
import { wrongIn } from './published-schemas';

const root = join(import.meta.dirname, '..');
const { renderChart } = (await import(join(root, 'tools/chart.mjs'))) as {
  renderChart(folder: string, ...values: object[]): { template: string; manifest: any }[];
};
const chart = join(root, 'k8s/chart');
const named = (values: object, kind: string, name: string): any =>
  renderChart(chart, values).find(({ manifest }) => manifest.kind === kind && manifest.metadata.name === name)
    ?.manifest;

describe('the chart', () => {
  it.each([
    [{ programs: { gatway: {} } }, 'programs must NOT have additional properties'],
    [{ replicas: 'two' }, 'replicas must be integer'],
    [{ settings: { CARILLON_DB_POOL: 8 } }, 'CARILLON_DB_POOL must be string'],
    [{ settings: { 'carillon-db-pool': '8' } }, 'must match pattern'],
    [{ programs: { push: { scaling: { maxReplicas: 4, cpuPercent: 70, queueDue: 200 } } } }, 'exactly one'],
  ])('refuses the values %j', (values, why) => expect(() => renderChart(chart, values)).toThrow(why));

  it('has the gateway and each service', () => {
    const programs = renderChart(chart)
      .filter(({ manifest }) => manifest.kind === 'Deployment')
      .map(({ manifest }) => manifest.metadata.name);
    expect(programs.sort()).toEqual(['gateway', ...serviceNames].sort());
  });

  it('takes the replicas and the resources of a program, and the rest from all', () => {
    const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } };
    const values = { replicas: 4, programs: { accounts: { replicas: 5, resources }, push: { replicas: 6 } } };
    const accounts = named(values, 'Deployment', 'accounts').spec;
    expect(accounts.replicas).toBe(5);
    expect(accounts.template.spec.containers[0].resources).toEqual(resources);
    expect(named(values, 'Deployment', 'teams').spec.replicas).toBe(4);
    expect(named(values, 'HorizontalPodAutoscaler', 'push').spec.minReplicas).toBe(6);
  });

  it('leaves the servers of NATS to another chart, and keeps their users and policies', () => {
    const values = { nats: { enabled: false }, monitoring: { enabled: true } };
    const left = renderChart(chart, values)
      .filter(({ manifest }) => /^nats/.test(manifest.metadata.name))
      .map(({ manifest }) => `${manifest.kind}/${manifest.metadata.name}`);
    expect(left.sort()).toEqual([
      'ConfigMap/nats-configuration',
      'NetworkPolicy/nats',
      'NetworkPolicy/nats-metrics-are-read',
    ]);
    // Their containers have other names for their ports.
    const { ingress } = named(values, 'NetworkPolicy', 'nats').spec;
    expect(ingress.flatMap(({ ports }: any) => ports.map(({ port }: any) => port))).toEqual([4222, 6222]);
  });

  it('leaves the roles of Postgres to others, and shows the migration no owner then', () => {
    const { spec } = named({ migrate: { roles: false } }, 'Job', 'migrate').spec.template;
    expect(spec.initContainers).toBeUndefined();
    expect(spec.volumes.map(({ name }: any) => name)).toEqual(['tmp', 'stores']);
  });

  it('has a number of replicas where nothing scales a program', () => {
    const values = { programs: { push: { scaling: null } } };
    expect(named(values, 'Deployment', 'push').spec.replicas).toBe(2);
    expect(named(values, 'HorizontalPodAutoscaler', 'push')).toBeUndefined();
  });

  it('restarts the programs for other settings, which they read at the start only', () => {
    const hash = (values: object): string =>
      named(values, 'Deployment', 'teams').spec.template.metadata.annotations['carillon.dev/settings'];
    expect(hash({ settings: { TEAMS_MODE: 'open' } })).not.toBe(hash({}));
    expect(hash({ host: 'other.example' })).not.toBe(hash({}));
    expect(hash({ replicas: 3 })).toBe(hash({}));
  });

  it('takes the image from the registry, the tag and the secret that are named', () => {
    const image = { repository: 'registry.example:5000/it', tag: '1.2.3', pullSecrets: [{ name: 'pull' }] };
    const { template } = named({ image }, 'Deployment', 'teams').spec;
    expect(template.spec.containers[0].image).toBe('registry.example:5000/it:1.2.3');
    expect(template.spec.imagePullSecrets).toEqual([{ name: 'pull' }]);
  });

  it('is reached by a route, an Ingress, or neither', () => {
    const kinds = (kind: string): string[] =>
      renderChart(chart, { route: { kind } })
        .map(({ manifest }) => manifest.kind)
        .filter((each) => /HTTPRoute|Ingress/.test(each));
    expect(kinds('HTTPRoute')).toEqual(['HTTPRoute']);
    expect(kinds('Ingress')).toEqual(['Ingress']);
    expect(kinds('none')).toEqual([]);
    const route = { kind: 'HTTPRoute', gateway: { name: 'world', namespace: null, sectionName: 'https' } };
    const { spec } = named({ host: 'a.example', route }, 'HTTPRoute', 'gateway');
    expect(spec).toMatchObject({
      hostnames: ['a.example'],
      parentRefs: [{ name: 'world', sectionName: 'https' }],
    });
  });

  it('probes itself from outside where that is wanted', () => {
    expect(named({}, 'CronJob', 'probe')).toBeUndefined();
    const probe = named({ host: 'a.example', probe: { enabled: true } }, 'CronJob', 'probe');
    expect(wrongIn(probe)).toEqual([]);
    const { spec } = probe.spec.jobTemplate;
    const [{ command, env }] = spec.template.spec.containers;
    expect(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')).toContain(` ${command[1]} `);
    expect(env).toEqual([
      { name: 'CARILLON_URL', value: 'https://a.example' },
      { name: 'CARILLON_TOKEN_FILE', value: '/run/secrets/probe/token' },
    ]);
    // The alert waits for what is newer than five minutes; a try takes a minute at most.
    expect(spec.activeDeadlineSeconds).toBeLessThan(60);
  });

  it('has no priority class where none is named', () => {
    const values = { priorityClass: { name: '' } };
    expect(named(values, 'Deployment', 'teams').spec.template.spec).not.toHaveProperty('priorityClassName');
    expect(renderChart(chart, values).filter(({ manifest }) => manifest.kind === 'PriorityClass')).toEqual(
      [],
    );
  });
});

describe('the renderer of the chart', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-chart-'));
    mkdirSync(join(folder, 'templates'));
    writeFileSync(join(folder, 'Chart.yaml'), 'name: it\nversion: 1.0.0\nappVersion: "2"\n');
    writeFileSync(join(folder, 'values.schema.json'), '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const render = (template: string, values = '{}'): unknown => {
    writeFileSync(join(folder, 'values.yaml'), values);
    writeFileSync(join(folder, 'templates/it.yaml'), template);
    return renderChart(folder)[0]?.manifest;
  };

  // The right side is what the engine of Helm 3.12.3 made of the left one.
  it.each([
    ['it: {{ .Values.a | default "x" | quote }}', 'a: ""', { it: 'x' }],
    ['it: {{ if .Values.a }}1{{ else if .Values.b }}2{{ else }}3{{ end }}', 'a: {}\nb: [0]', { it: 2 }],
    [
      'it:\n{{- range $k, $v := .Values.a }}\n  {{ $k }}: {{ $v }}\n{{- end }}',
      'a: {z: 1, b: 2}',
      { it: { b: 2, z: 1 } },
    ],
    ['it: [{{ range .Values.a }}{{ . }},{{ else }}none{{ end }}]', 'a: []', { it: ['none'] }],
    [
      'it: {{- .Values.a | toYaml | nindent 2 }}',
      'a: {b: [1, "2"], c: null}',
      { it: { b: [1, '2'], c: null } },
    ],
    ['{{ define "x" }}{{ . }}{{ end }}it: {{ include "x" .Values.a }}', 'a: q', { it: 'q' }],
    ['it: {{ $x := .Values.a }}{{ with .Values.b }}{{ . }}{{ $x }}{{ end }}', 'a: q\nb: r', { it: 'rq' }],
    ['it: {{ .Values.a | int }}', 'a: 1000000', { it: 1_000_000 }],
    ['it: {{ and .Values.a (eq .Values.b "r") | ternary "yes!" "no!" }}', 'a: q\nb: r', { it: 'yes!' }],
    ['it: {{ dict "b" "<>" "a" 1 | toJson | quote }}', '{}', { it: '{"a":1,"b":"\\u003c\\u003e"}' }],
    ['it: {{ merge (dict "a" 1) (dict "a" 2 "b" 3) | toYaml | nindent 2 }}', '{}', { it: { a: 1, b: 3 } }],
    ['it: {{ "a.b.a" | replace "a" "$&" }}', '{}', { it: '$&.b.$&' }],
    ['{{- /* a comment */ -}}\nit: {{ printf "%s:%s" .Chart.Name .Chart.AppVersion }}', '{}', { it: 'it:2' }],
  ])('makes of %j with %j what Helm makes', (template, values, made) =>
    expect(render(template, values)).toEqual(made),
  );

  it.each([
    ['it: {{ .Values.a.b }}', '.b of null'],
    ['it: {{ .Values.a }}', 'null cannot be printed'],
    ['it: {{ 1000000 }}', '1000000 cannot be printed'],
    ['it: {{ lookup "v1" "Secret" "a" "b" }}', 'no function "lookup"'],
    ['it: {{ include "none" . }}', 'no template "none"'],
    ['it: {{ if true }}', '1 blocks without an end'],
    ['it: {{ "a" ~ "b" }}', 'not known in a template'],
  ])('refuses %j', (template, why) => expect(() => render(template)).toThrow(why));
});
