import { serviceNames } from '@carillon/contracts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';

type Manifest = any;

const k8s = join(import.meta.dirname, '../k8s');
const version: string = JSON.parse(readFileSync(join(k8s, '../package.json'), 'utf8')).version;
const schemas = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
  StatefulSet,
} as unknown as Record<string, { prototype: { validate(this: Manifest): void } }>;

/** The same, and in `unread` each field that nobody has read yet: whoever checks a manifest reads all that it knows. */
function watched(value: Manifest, unread: Set<string>, path = ''): Manifest {
  if (typeof value !== 'object' || value === null) return value;
  const kept: Manifest = Array.isArray(value) ? [] : {};
  for (const [name, inner] of Object.entries(value)) {
    kept[name] = watched(inner, unread, `${path}/${name}`);
    if (!Array.isArray(value)) unread.add(`${path}/${name}`);
  }
  return new Proxy(kept, {
    get: (target, name) => {
      unread.delete(`${path}/${String(name)}`);
      return target[name];
    },
  });
}

/** What the published schema of its kind says against it, fields that the kind does not have included. */
function wrongIn(manifest: Manifest): string[] {
  const Kind = schemas[manifest.kind];
  if (!Kind) return [`nobody checks a ${manifest.kind}`];
  const unread = new Set<string>();
  try {
    Kind.prototype.validate.call(watched(manifest, unread));
  } catch (error) {
    return [String(error)];
  }
  return [...unread].map((path) => `${path} is not known`);
}

const podOf = (manifest: Manifest): Manifest => manifest.spec.template.spec;
const nameOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

describe.each(readdirSync(join(k8s, 'overlays')))('the manifests of the overlay %s', (overlay) => {
  const text = readFileSync(join(k8s, 'rendered', `${overlay}.yaml`), 'utf8');
  const all = loadAll(text).filter(Boolean) as Manifest[];
  const of = (...kinds: string[]): Manifest[] => all.filter(({ kind }) => kinds.includes(kind));
  const workloads = of('Deployment', 'StatefulSet', 'Job');
  const servers = of('Deployment', 'StatefulSet');
  const named = (kind: string, name: string): Manifest =>
    of(kind).find(({ metadata }) => metadata.name === name);

  it('are those of the sources (else: node tools/manifests.mjs)', () => {
    const sources = createHash('sha256');
    for (const file of readdirSync(k8s, { recursive: true, encoding: 'utf8' }).sort())
      if (/^(base|overlays)\/.*\.(ya?ml|conf)$/.test(file))
        sources.update(`${file}\n`).update(readFileSync(join(k8s, file)));
    expect(text.split('\n')[0]).toContain(`sha256 ${sources.digest('hex')}`);
  });

  it('are what the published schemas take, and a field that they do not know would be found', () => {
    expect(all.flatMap((each) => wrongIn(each).map((wrong) => `${nameOf(each)}: ${wrong}`))).toEqual([]);
    const { spec, ...rest } = structuredClone(named('Deployment', 'push'));
    spec.template.spec.containers[0].imagePullPolice = 'Always';
    expect(wrongIn({ ...rest, spec })).toEqual([
      '/spec/template/spec/containers/0/imagePullPolice is not known',
    ]);
    expect(wrongIn({ ...rest, spec: { ...spec, replicas: 'two' } })).toEqual([
      expect.stringContaining('replicas'),
    ]);
  });

  it('have the gateway and every service as at least two, started by their names, also while rolling', () => {
    for (const name of ['gateway', ...serviceNames]) {
      const deployment = named('Deployment', name);
      expect(deployment.spec.replicas).toBeGreaterThanOrEqual(overlay === 'ha' ? 3 : 2);
      expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
      expect(podOf(deployment).containers[0].args).toEqual([name]);
      expect(podOf(deployment).topologySpreadConstraints).toHaveLength(1);
      expect(named('PodDisruptionBudget', name).spec.maxUnavailable).toBe(1);
    }
    expect(named('Job', 'migrate')).toBeDefined();
  });

  it('pin each image, ours to this version', () => {
    for (const workload of workloads)
      for (const { image } of podOf(workload).containers) {
        expect(image).toMatch(/^[\w./-]+:\d+\.\d+(\.\d+)?(-\w+)?$/);
        if (/(^|\/)carillon:/.test(image)) expect(image).toMatch(new RegExp(`:${version}$`));
      }
  });

  it('run nothing as root, with privileges, with a token of the cluster, or on a file system that can be written', () => {
    for (const workload of workloads) {
      const pod = podOf(workload);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
      });
      expect(named('ServiceAccount', pod.serviceAccountName).automountServiceAccountToken).toBe(false);
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      expect(JSON.stringify(pod)).not.toMatch(/hostPath|hostNetwork|hostPID|privileged/);
    }
  });

  it('say what each needs and may take, and ask each whether it started, lives and is ready', () => {
    for (const workload of workloads)
      for (const { resources } of podOf(workload).containers)
        expect(resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
    for (const server of servers)
      for (const { startupProbe, livenessProbe, readinessProbe } of podOf(server).containers)
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) expect(probe).toBeDefined();
  });

  it('refer to Secrets and hold none', () => {
    expect(of('Secret')).toEqual([]);
    for (const workload of workloads)
      for (const { env = [] } of podOf(workload).containers)
        for (const { name, value } of env)
          if (/(PASSWORD|SECRET|KEYS?|PEPPER)$|_URL$/.test(name))
            expect([name, value]).toEqual([name, undefined]);
  });

  it('let each program come to NATS as itself, and the gateway to neither the log nor the rows', () => {
    for (const name of ['gateway', ...serviceNames]) {
      const { env } = podOf(named('Deployment', name)).containers[0];
      const values = Object.fromEntries(
        env.map((each: Manifest) => [each.name, each.value ?? each.valueFrom]),
      );
      expect(values.NATS_USER).toBe(name);
      expect(values.NATS_PASSWORD.secretKeyRef).toEqual({ name: 'nats-users', key: name });
      expect('DATABASE_URL' in values).toBe(name !== 'gateway');
    }
  });

  it('are closed by default: only the gateway is asked from outside, and only who speaks on the bus reaches it', () => {
    expect(named('NetworkPolicy', 'closed').spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
    const toNats = named('NetworkPolicy', 'nats').spec.ingress;
    expect(JSON.stringify(toNats)).not.toContain('namespaceSelector');
    const fromOutside = of('NetworkPolicy').filter(({ spec }) =>
      (spec.ingress ?? []).some(
        (rule: Manifest) => !rule.from || JSON.stringify(rule.from).includes('namespaceSelector'),
      ),
    );
    expect(fromOutside.map(({ metadata }) => metadata.name).sort()).toEqual([
      'gateway-is-asked',
      'metrics-are-read',
    ]);
    expect(of('Service').filter(({ spec }) => spec.type && spec.type !== 'ClusterIP')).toEqual([]);
  });

  it('grow with what there is to do: the gateway with its processor, push and webhooks with their queues', () => {
    const kinds = of('HorizontalPodAutoscaler').map(({ metadata, spec }) => [
      metadata.name,
      spec.metrics[0].type,
    ]);
    expect(Object.fromEntries(kinds)).toEqual({
      gateway: 'Resource',
      push: 'External',
      webhooks: 'External',
    });
  });

  it('leave waits and streams the time that they take', () => {
    const { annotations } = named('Ingress', 'gateway').metadata;
    expect(Number(annotations['nginx.ingress.kubernetes.io/proxy-read-timeout'])).toBeGreaterThan(60);
    expect(podOf(named('Deployment', 'gateway')).terminationGracePeriodSeconds).toBeGreaterThan(60);
  });
});
