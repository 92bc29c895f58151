import { serviceNames } from '@carillon/contracts';
import { databaseSetting } from '@carillon/settings';
import { queueDue, serveMetrics, streamsOpen, waitsOpen } from '@carillon/metrics';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { wrongIn } from './published-schemas';

type Manifest = any;

const k8s = join(import.meta.dirname, '../k8s');
const version: string = JSON.parse(readFileSync(join(k8s, '../package.json'), 'utf8')).version;
/** What a workload makes pods of; a pod is its own. */
const templateOf = (manifest: Manifest): Manifest => {
  if (manifest.kind === 'Pod') return manifest;
  return (manifest.spec.jobTemplate?.spec ?? manifest.spec).template;
};
const podOf = (manifest: Manifest): Manifest => templateOf(manifest).spec;
const labelsOf = (manifest: Manifest): Manifest => templateOf(manifest).metadata.labels;
const containersOf = (pod: Manifest): Manifest[] => [...(pod.initContainers ?? []), ...pod.containers];
const isOurs = ({ image }: Manifest): boolean => /(^|\/)carillon(-standalone)?:/.test(image);
const read = (file: string): string => readFileSync(join(k8s, '..', file), 'utf8');

const isChosen = (labels: Manifest, { matchLabels = {}, matchExpressions = [] }: Manifest): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(
    ({ key, operator, values }: Manifest) => operator === 'In' && values.includes(labels[key]),
  );

/** Pods have addresses of a private network. */
const isPrivate = ({ cidr, except = [] }: Manifest): boolean =>
  cidr.startsWith('10.') || (cidr === '0.0.0.0/0' && !except.includes('10.0.0.0/8'));

/** Which workload may come to which port of which other, by what the policies say of both ends. */
function ways(workloads: readonly Manifest[], policies: readonly Manifest[]): string[] {
  const lets = (
    workload: Manifest,
    direction: 'Ingress' | 'Egress',
    other: Manifest,
    port: Manifest,
  ): boolean => {
    const rules = policies
      .filter(
        ({ spec }) => isChosen(labelsOf(workload), spec.podSelector) && spec.policyTypes.includes(direction),
      )
      .flatMap(({ spec }) => spec[direction.toLowerCase()] ?? []);
    return rules.some(({ from, to, ports }: Manifest) => {
      const peers: Manifest[] = from ?? to ?? [{ podSelector: {} }];
      const isPeer = peers.some(({ podSelector, namespaceSelector, ipBlock }) =>
        ipBlock ? isPrivate(ipBlock) : !namespaceSelector && isChosen(labelsOf(other), podSelector),
      );
      const isPort = (ports ?? [port]).some(
        ({ port: from, endPort: until = from }: Manifest) =>
          from === port.name || (from <= port.containerPort && port.containerPort <= until),
      );
      return isPeer && isPort;
    });
  };
  return workloads.flatMap((from) =>
    workloads.flatMap((to) =>
      podOf(to)
        .containers.flatMap(({ ports = [] }: Manifest) => ports)
        .filter((port: Manifest) => lets(from, 'Egress', to, port) && lets(to, 'Ingress', from, port))
        .map((port: Manifest) => `${from.metadata.name} > ${to.metadata.name}:${port.containerPort}`),
    ),
  );
}
const { besides, overlays, renderedChart } = (await import(join(k8s, '../tools/overlays.mjs'))) as {
  besides: string[];
  overlays: string[];
  renderedChart(name: string): Manifest[];
};
const { patchedManifests, patchedOverlays, patchesBetween } = (await import(
  join(k8s, '../tools/manifest-patches.mjs')
)) as {
  patchedManifests(manifests: Manifest[], patches: Manifest[]): Manifest[];
  patchedOverlays: Record<string, string>;
  patchesBetween(from: Manifest[], to: Manifest[]): Manifest[];
};
const nameOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

interface Rendered {
  readonly all: Manifest[];
  readonly workloads: Manifest[];
  of(...kinds: string[]): Manifest[];
  named(kind: string, name: string): Manifest;
}

/** What comes of an overlay, or of what is applied beside it. */
function rendered(name: string): Rendered {
  const text = readFileSync(join(k8s, 'rendered', `${name}.yaml`), 'utf8');
  const written = loadAll(text).filter(Boolean) as Manifest[];
  const from = patchedOverlays[name];
  const all: Manifest[] = from ? patchedManifests(rendered(from).all, written) : written;
  const of = (...kinds: string[]): Manifest[] => all.filter(({ kind }) => kinds.includes(kind));
  const named = (kind: string, name: string): Manifest =>
    of(kind).find(({ metadata }) => metadata.name === name);
  return { all, of, named, workloads: of('Deployment', 'StatefulSet', 'Job', 'CronJob', 'Pod') };
}

describe.each([...overlays, ...besides])('the manifests of %s', (name) => {
  const { all, of, named, workloads } = rendered(name);

  it('are what the chart makes (else: node tools/manifests.mjs)', () => {
    const byName = (manifests: Manifest[]): [string, Manifest][] =>
      manifests.map((each): [string, Manifest] => [nameOf(each), each]).sort();
    expect(byName(all)).toEqual(byName(renderedChart(name)));
  });

  it('are what the published schemas take, and a field that they do not know would be found', () => {
    expect(all.flatMap((each) => wrongIn(each).map((wrong) => `${nameOf(each)}: ${wrong}`))).toEqual([]);
    const unknown = structuredClone(workloads[0]);
    podOf(unknown).containers[0].imagePullPolice = 'Always';
    const pod = unknown.kind === 'Pod' ? '/spec' : '/spec/template/spec';
    expect(wrongIn(unknown)).toEqual([`${pod}/containers/0/imagePullPolice is not known`]);
    const wrong = structuredClone(workloads[0]);
    podOf(wrong).containers[0].image = 2;
    expect(wrongIn(wrong)).toEqual([expect.stringContaining('image')]);
  });

  it('pin each image, ours to this version', () => {
    for (const workload of workloads)
      for (const { image } of containersOf(podOf(workload))) {
        expect(image).toMatch(/^[\w./-]+:\d+\.\d+(\.\d+)?(-\w+)?$/);
        if (isOurs({ image })) expect(image).toMatch(new RegExp(`:${version}$`));
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
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
      for (const { securityContext } of containersOf(pod))
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      expect(JSON.stringify(pod)).not.toMatch(/hostPath|hostNetwork|hostPID|privileged/);
    }
  });

  it('say what each needs and may take', () => {
    for (const workload of workloads)
      for (const { resources } of containersOf(podOf(workload)))
        expect(resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
  });

  it('hold no Secret, and give each program its own as files, of Secrets that the deployment page makes', () => {
    expect(of('Secret')).toEqual([]);
    const page = read('docs/deployment.md').replaceAll(/\\\n/g, ' ');
    const [, authority] = /tlsCAFile=([^'"\s]+)/.exec(page)!;
    const [, services] = /for service in ((?:[\w-]+ )+[\w-]+); do/.exec(page)!;
    expect(services!.split(' ').sort()).toEqual([...serviceNames].sort());
    const made = new Map(
      [...page.matchAll(/create secret generic (\S+)(.*)/g)].flatMap(([, name, files]) =>
        (name!.includes('$service') ? serviceNames : ['']).map((service): [string, string[]] => [
          name!.replace('$service', service),
          [...files!.matchAll(/--from-file=([^\s=]+)/g)].map(([, key]) => key!),
        ]),
      ),
    );
    const users = [...read('k8s/chart/files/nats/accounts.conf').matchAll(/user: "([^"]+)"/g)].map(
      ([, user]) => user,
    );
    // A folder: a key for each file in it.
    const folders: Record<string, readonly (string | undefined)[]> = {
      'nats-users': users,
      simulator: ['ca.pem'],
    };
    for (const workload of workloads) {
      const { volumes = [] } = podOf(workload);
      const files = new Set<string>();
      for (const { env = [], volumeMounts = [] } of containersOf(podOf(workload))) {
        for (const { name, mountPath } of volumeMounts) {
          const { secret, projected } = volumes.find((volume: Manifest) => volume.name === name) ?? {};
          const parts = (projected?.sources ?? []).flatMap((source: Manifest) => source.secret ?? []);
          for (const { secretName = '', name: projectedName = secretName, items } of secret
            ? [secret]
            : parts) {
            const keys = folders[projectedName] ?? made.get(projectedName);
            expect([projectedName, made.has(projectedName)]).toEqual([projectedName, true]);
            for (const { key, path } of items ?? keys!.map((each) => ({ key: each, path: each }))) {
              expect([projectedName, keys]).toEqual([projectedName, expect.arrayContaining([key])]);
              files.add(`${mountPath}/${path}`);
            }
          }
        }
        for (const { name, value, valueFrom } of env) {
          expect(valueFrom?.secretKeyRef).toBeUndefined();
          if (/(PASSWORD|SECRET|KEYS?|PEPPER|CREDS|ACCOUNT)$|(?<!^NATS)_URL$/.test(name))
            throw new Error(`${name} is no file`);
          if (/_FILE$/.test(name)) expect([...files]).toContain(value);
          if (name === 'EVENTSTORE_URL_FILE') expect([...files]).toContain(authority);
        }
      }
    }
  });
});

describe.each(overlays)('the manifests of the overlay %s', (overlay) => {
  const { all, of, named, workloads } = rendered(overlay);
  const servers = of('Deployment', 'StatefulSet');

  it('count replicas as the published schemas do', () => {
    const { spec, ...rest } = structuredClone(named('Deployment', 'push'));
    expect(wrongIn({ ...rest, spec: { ...spec, replicas: 'two' } })).toEqual([
      expect.stringContaining('replicas'),
    ]);
  });

  it('have the gateway and every service as at least two, started by their names, also while rolling', () => {
    for (const name of ['gateway', ...serviceNames]) {
      const deployment = named('Deployment', name);
      // What is scaled has no number of its own: each rollout would take back what there is to do.
      const scaled = named('HorizontalPodAutoscaler', name)?.spec;
      expect('replicas' in deployment.spec).toBe(scaled === undefined);
      expect(scaled?.minReplicas ?? deployment.spec.replicas).toBeGreaterThanOrEqual(
        overlay === 'ha' ? 3 : 2,
      );
      expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
      expect(podOf(deployment).containers[0].args).toEqual([name]);
      expect(podOf(deployment).topologySpreadConstraints).toHaveLength(1);
      expect(named('PodDisruptionBudget', name).spec.maxUnavailable).toBe(1);
    }
    expect(named('Job', 'migrate')).toBeDefined();
  });

  it('ask each whether it started, lives and is ready', () => {
    for (const server of servers)
      expect(podOf(server).containers[0]).toEqual(
        expect.objectContaining({
          startupProbe: expect.anything(),
          livenessProbe: expect.anything(),
          readinessProbe: expect.anything(),
        }),
      );
  });

  it('ask on ports that the container has, and of our programs what these answer', async () => {
    process.env['METRICS_PORT'] = '0';
    const { url, close } = await serveMetrics();
    try {
      for (const server of servers)
        for (const container of podOf(server).containers)
          for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
            const { httpGet, tcpSocket } = container[kind] ?? {};
            const asked = httpGet?.port ?? tcpSocket?.port;
            if (asked) expect(container.ports.map(({ name }: Manifest) => name)).toContain(asked);
            if (asked !== 'metrics') continue;
            expect((await fetch(new URL(httpGet.path, url))).status).toBe(200);
          }
    } finally {
      await close();
    }
    const image = read('deploy/Dockerfile');
    for (const name of ['gateway', ...serviceNames]) {
      const ports = podOf(named('Deployment', name)).containers[0].ports;
      const metrics = ports.find((port: Manifest) => port.name === 'metrics').containerPort;
      expect(image).toContain(`METRICS_PORT=${metrics} `);
      for (const { containerPort } of ports)
        expect(image).toMatch(new RegExp(`^EXPOSE .*\\b${containerPort}\\b`, 'm'));
    }
  });

  it('let each program come to NATS as itself, and the gateway to neither the log nor the rows', () => {
    for (const name of ['gateway', ...serviceNames]) {
      const { env } = podOf(named('Deployment', name)).containers[0];
      const values = Object.fromEntries(
        env.map((each: Manifest) => [each.name, each.value ?? each.valueFrom]),
      );
      expect(values.NATS_USER).toBe(name);
      const { volumes } = podOf(named('Deployment', name));
      expect(volumes.find((volume: Manifest) => volume.name === 'bus').secret).toMatchObject({
        secretName: 'nats-users',
        items: [{ key: name, path: 'password' }],
      });
      expect('DATABASE_URL_FILE' in values).toBe(name !== 'gateway');
      const stores = volumes.find((volume: Manifest) => volume.name === 'stores');
      expect(stores?.secret.secretName).toBe(name === 'gateway' ? undefined : `stores-${name}`);
    }
  });

  it('show the owner of the database to what makes the roles only, and each role to its service and the migration', () => {
    for (const workload of workloads)
      for (const container of containersOf(podOf(workload))) {
        const mounted = (container.volumeMounts ?? []).map(({ name }: Manifest) => name);
        expect(mounted.includes('owner')).toBe(container.name === 'roles');
        const databases = (container.env ?? [])
          .map(({ name }: Manifest) => name)
          .filter((name: string) => /^DATABASE_URL_(?!FILE)/.test(name));
        const all = serviceNames.map((service) => `${databaseSetting(service)}_FILE`);
        const { name } = workload.metadata;
        if (name === 'migrate') expect(databases.sort()).toEqual([...all].sort());
        else expect(databases).toEqual(container.name === 'roles' ? [`${databaseSetting(name)}_FILE`] : []);
      }
    const inits = workloads.filter((each) =>
      podOf(each).initContainers?.some((c: Manifest) => c.name === 'roles'),
    );
    expect(inits.map(({ metadata }) => metadata.name).sort()).toEqual(
      [...(overlay === 'dev' ? serviceNames : []), 'migrate'].sort(),
    );
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
      ...(overlay === 'dev' ? [] : ['nats-metrics-are-read']),
    ]);
    expect(of('Service').filter(({ spec }) => spec.type && spec.type !== 'ClusterIP')).toEqual([]);
  });

  it('let each come to what it needs and to nothing else', () => {
    const speakers = ['gateway', ...serviceNames];
    const stores = overlay === 'dev' ? ['postgres:5432', 'event-store:2113'] : [];
    expect(ways(workloads, of('NetworkPolicy')).sort()).toEqual(
      [
        ...speakers.map((name) => `${name} > nats:4222`),
        'nats > nats:6222',
        ...stores.flatMap((store) => serviceNames.map((name) => `${name} > ${store}`)),
        ...(overlay === 'dev'
          ? [
              'migrate > postgres:5432',
              'push > simulator:2197',
              'push > simulator:2198',
              'simulator > gateway:8080',
            ]
          : []),
      ].sort(),
    );
    // Outside: names, stores in private networks, providers, receivers.
    const outside = of('NetworkPolicy').flatMap(({ metadata, spec }) =>
      (spec.egress ?? [])
        .filter(({ to = [{}] }: Manifest) => to.some((peer: Manifest) => !peer.podSelector))
        .flatMap(({ ports }: Manifest) =>
          ports.map(({ port, endPort }: Manifest) =>
            [metadata.name, port, ...(endPort ? [endPort] : [])].join(' '),
          ),
        ),
    );
    expect(outside.sort()).toEqual([
      'migrate 5432',
      'names 53',
      'names 53',
      'providers-are-reached 1024 65535',
      'providers-are-reached 443',
      'receivers-are-reached 1024 65535',
      'receivers-are-reached 443',
      ...(overlay === 'dev' ? [] : ['scavenge-reaches-store 2113']),
      'stores-are-reached 2113',
      'stores-are-reached 5432',
    ]);
  });

  it('believe nobody in whose name they ask until the addresses of the ingress controller are named', () => {
    const [{ data }] = of('ConfigMap').filter(({ metadata }) =>
      metadata.name.startsWith('carillon-settings'),
    );
    expect(data.CARILLON_TRUSTED_PROXIES).toBe('');
    expect(read('docs/deployment.md')).toContain('CARILLON_TRUSTED_PROXIES: ');
  });

  it('migrate before all else with what that needs, and give up at some time', () => {
    const hooks = all.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']);
    const weightOf = ({ metadata }: Manifest): number => Number(metadata.annotations['helm.sh/hook-weight']);
    hooks.sort((one, other) => weightOf(one) - weightOf(other));
    expect(hooks.map(nameOf)).toEqual(['ServiceAccount/migrate', 'NetworkPolicy/migrate', 'Job/migrate']);
    for (const { metadata } of hooks)
      expect(metadata.annotations).toMatchObject({
        'helm.sh/hook': overlay === 'dev' ? 'post-install,pre-upgrade' : 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      });
    const job = named('Job', 'migrate');
    const { serviceAccountName, volumes, containers, priorityClassName } = podOf(job);
    expect(job.spec.activeDeadlineSeconds).toBeGreaterThan(0);
    expect(serviceAccountName).toBe('migrate');
    // At the first install these come after it.
    expect(JSON.stringify([volumes, containers])).not.toMatch(/configMap/);
    expect(priorityClassName).toBeUndefined();
  });

  it('spread each revision over the nodes that may be used, and let what is unready be evicted', () => {
    for (const server of servers.filter(({ metadata }) => named('PodDisruptionBudget', metadata.name))) {
      const [spread] = podOf(server).topologySpreadConstraints;
      expect(spread).toMatchObject({ maxSkew: 1, nodeTaintsPolicy: 'Honor' });
      expect(spread.matchLabelKeys).toEqual(server.kind === 'Deployment' ? ['pod-template-hash'] : undefined);
      // Of three zones one may be lost: with as many as three to be used, nothing came back.
      expect(spread.minDomains).toBe(overlay === 'ha' ? 2 : undefined);
      expect(spread.whenUnsatisfiable).toBe(overlay === 'ha' ? 'DoNotSchedule' : 'ScheduleAnyway');
      const budget = named('PodDisruptionBudget', server.metadata.name).spec;
      expect(budget).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
      expect(named('PriorityClass', podOf(server).priorityClassName).value).toBeLessThanOrEqual(1e9);
    }
  });

  it('are seen by the Prometheus of an operator: each program, and what it alerts on', () => {
    if (overlay === 'dev') return expect(of('PodMonitor', 'PrometheusRule')).toEqual([]);
    const seen = of('PodMonitor').flatMap(({ spec: { selector, podMetricsEndpoints } }) =>
      servers
        .filter((server) => isChosen(labelsOf(server), selector))
        .map((server) => {
          const [{ port, relabelings }] = podMetricsEndpoints;
          const ports = podOf(server).containers.flatMap(({ ports = [] }: Manifest) => ports);
          expect(ports.map(({ name }: Manifest) => name)).toContain(port);
          return [server.metadata.name, relabelings[0].targetLabel, relabelings[0].replacement];
        }),
    );
    // The rules and dashboards ask for these jobs.
    expect(seen.sort()).toEqual(
      [
        ...['gateway', ...serviceNames].map((name) => [name, 'job', 'carillon']),
        ['nats', 'job', 'carillon-nats'],
      ].sort(),
    );
    const { groups } = load(read('deploy/observability/rules.yaml')) as Manifest;
    const ours = named('PrometheusRule', 'carillon').spec.groups;
    const rulesOf = (of: Manifest[]): string[] =>
      of.flatMap(({ rules }) => rules.map(({ expr }: Manifest) => expr));
    expect(rulesOf(ours)).toEqual(rulesOf(groups));
    const runbooks = ours.flatMap(({ rules }: Manifest) =>
      rules.flatMap(({ annotations }: Manifest) => annotations?.runbook_url ?? []),
    );
    expect(runbooks.length).toBeGreaterThan(0);
    for (const url of runbooks) {
      const [, page] = /^https:\/\/carillon\.example\/runbooks\/([\w-]+\.md)$/.exec(url) ?? [];
      expect(read(`docs/runbooks/${page}`)).toMatch(/^# /);
    }
    const dashboards = of('ConfigMap').filter(({ metadata }) => metadata.labels.grafana_dashboard);
    expect(dashboards.map(({ data }) => Object.keys(data))).toEqual([
      ['carillon-inside.dashboard.json'],
      ['carillon-overview.dashboard.json'],
    ]);
    for (const { data } of dashboards)
      for (const [file, text] of Object.entries<string>(data))
        expect(JSON.parse(text)).toEqual(JSON.parse(read(`deploy/observability/${file}`)));
  });

  it('end a program that hangs within seconds', () => {
    for (const name of ['gateway', ...serviceNames])
      expect(podOf(named('Deployment', name)).containers[0].livenessProbe).toMatchObject({
        terminationGracePeriodSeconds: 5,
      });
  });

  it('ask for what was measured: the processors of 100 sends a second to two phones, and the memory after them', () => {
    const [, table] = read('docs/benchmarks.md').split('CPU ms a request of the one and the other');
    for (const name of ['gateway', ...serviceNames]) {
      const row = table!.split('\n').find((line) => line.startsWith(`| ${name} `))!;
      const cells = row.split('|').map((cell) => Math.max(...cell.split('+').map(Number)));
      const [cpuMs, afterMb] = [cells[4]!, cells[7]!];
      const { requests, limits } = podOf(named('Deployment', name)).containers[0].resources;
      const mb = (text: string): number => (Number(/^(\d+)Mi$/.exec(text)?.[1]) * 2 ** 20) / 1e6;
      expect(Number(/^(\d+)m$/.exec(requests.cpu)?.[1])).toBeGreaterThanOrEqual(100 * cpuMs);
      expect(mb(requests.memory)).toBeGreaterThanOrEqual(1.2 * afterMb);
      expect(mb(limits.memory)).toBeGreaterThanOrEqual(2.5 * mb(requests.memory));
    }
  });

  it('grow with what there is to do: the gateway with its processor and what it holds open, others with their queues', () => {
    const kinds = of('HorizontalPodAutoscaler').map(({ metadata, spec }) => [
      metadata.name,
      spec.metrics.map((metric: Manifest) => metric.external?.metric.name ?? metric.resource.name),
    ]);
    expect(Object.fromEntries(kinds)).toEqual({
      gateway: ['cpu', 'carillon_open'],
      push: ['carillon_queue_due'],
      webhooks: ['carillon_queue_due'],
    });
    const [, open] = named('HorizontalPodAutoscaler', 'gateway').spec.metrics;
    const most = Number(
      /'CARILLON_OPEN_PER_GATEWAY', ([\d_]+)/
        .exec(read('apps/gateway/src/rate/capacity.ts'))![1]!
        .replaceAll('_', ''),
    );
    expect(Number(open.external.target.averageValue)).toBeLessThan(most / 2);
    // A wait takes 12 kB: the table in docs/deployment.md.
    const { limits } = podOf(named('Deployment', 'gateway')).containers[0].resources;
    expect(142e6 + most * 12e3).toBeLessThan(Number.parseInt(limits.memory) * 2 ** 20);
  });

  it('grow by a metric that the programs show, brought to the cluster under its own name and labels', async () => {
    // The keys of `rules` that the chart of prometheus-adapter reads.
    const {
      default: _,
      external,
      ...rest
    } = (load(read('deploy/observability/prometheus-adapter.yaml')) as Manifest).rules;
    expect(rest).toEqual({});
    for (const { metadata, spec } of of('HorizontalPodAutoscaler'))
      for (const { external: scaled } of spec.metrics.filter(({ type }: Manifest) => type === 'External')) {
        const { name, selector } = scaled.metric;
        const rule = external.find((each: Manifest) => (each.name?.as ?? each.seriesQuery) === name);
        expect(rule).toBeDefined();
        if (name === 'carillon_open') {
          const asked = rule.metricsQuery.match(/carillon_\w+/g);
          expect(asked).toEqual([(await waitsOpen.get()).name, (await streamsOpen.get()).name]);
          continue;
        }
        queueDue.reset();
        queueDue.set({ service: metadata.name, queue: 'any' }, 1);
        const shown = await queueDue.get();
        expect(name).toBe(shown.name);
        expect(shown.values[0]?.labels).toMatchObject(selector.matchLabels);
        expect(serviceNames).toContain(selector.matchLabels.service);
      }
  });

  it('leave NATS the disk and the memory for what may be stored and published', () => {
    const nats = named('StatefulSet', 'nats');
    const [{ env, resources }] = podOf(nats).containers;
    const bytes = (text: string): number => {
      const [, count, unit = ''] = /^(\d+)(\w+)$/.exec(text) ?? [];
      const power = ['Ki', 'Mi', 'Gi'].indexOf(unit.replace(/i?B$/, 'i')) + 1;
      return power === 0 ? NaN : Number(count) * 1024 ** power;
    };
    const [stored] = nats.spec.volumeClaimTemplates;
    const disk = bytes(stored.spec.resources.requests.storage);
    const limit = bytes(resources.limits.memory);
    const settings = of('ConfigMap').map(({ data }) => data);
    const conf: string = settings.find((data) => 'nats.conf' in data)['nats.conf'];
    const store = (kind: string): number => bytes(new RegExp(`${kind}: (\\w+)`).exec(conf)?.[1] ?? '');
    const events = settings.find((data) => 'CARILLON_EVENTS_MEBIBYTES' in data).CARILLON_EVENTS_MEBIBYTES;
    const soft = bytes(env.find(({ name }: Manifest) => name === 'GOMEMLIMIT').value);
    expect(store('max_file_store')).toBeLessThanOrEqual(0.9 * disk);
    expect(Number(events) * 2 ** 20).toBeLessThanOrEqual(0.9 * store('max_file_store'));
    expect(soft).toBeLessThanOrEqual(0.9 * limit);
    // 24 MiB for a million events of 700 bytes (docs/benchmarks.md).
    const published = ((Number(events) * 2 ** 20) / 700 / 1e6) * 24 * 2 ** 20;
    expect(store('max_memory_store') + published).toBeLessThan(soft);
  });

  it('let NATS hand over before it stops, and read again what changes', () => {
    const pod = podOf(named('StatefulSet', 'nats'));
    const [server, reloader] = pod.containers;
    const conf: string = named('ConfigMap', 'nats-configuration').data['nats.conf'];
    const [, pidFile] = /pid_file: "(.*)"/.exec(conf)!;
    expect(server.lifecycle.preStop.exec.command).toEqual(['nats-server', '--signal', `ldm=${pidFile}`]);
    const [, seconds] = /lame_duck_duration: "(\d+)s"/.exec(conf)!;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 20);
    // The whole of /healthz: each stream is current.
    expect(server.startupProbe.httpGet.path).toBe('/healthz');

    const { projected } = pod.volumes.find(({ name }: Manifest) => name === 'configuration');
    const files = projected.sources.flatMap(({ configMap, secret }: Manifest) =>
      configMap
        ? Object.keys(named('ConfigMap', configMap.name).data)
        : secret.items.map(({ path }: Manifest) => path),
    );
    const watched = reloader.args.flatMap(
      (arg: string) => /^-config=\/etc\/nats\/(.*)$/.exec(arg)?.[1] ?? [],
    );
    expect(watched.sort()).toEqual(files.sort());
    for (const [, file] of conf.matchAll(/"\/etc\/nats\/(tls\/[^"]+)"/g)) expect(files).toContain(file);
    expect(reloader.args).toContain(`-pid=${pidFile}`);
    expect(pod.shareProcessNamespace).toBe(true);
    expect(JSON.stringify(pod)).not.toContain('subPath');
  });

  it('leave waits and streams the time that they take', () => {
    if (overlay === 'dev') {
      const { annotations } = named('Ingress', 'gateway').metadata;
      expect(Number(annotations['nginx.ingress.kubernetes.io/proxy-read-timeout'])).toBeGreaterThan(60);
      return;
    }
    const [stream, others] = named('HTTPRoute', 'gateway').spec.rules;
    expect(Number.parseInt(others.timeouts.request)).toBeGreaterThan(60);
    expect(stream).toMatchObject({
      matches: [{ path: { type: 'Exact', value: '/api/session/stream' } }],
      timeouts: { request: '0s' },
    });
    expect(read('apps/gateway/src/stream/stream.controller.ts')).toContain("'/api/session/stream'");
  });

  it('give each program the time to finish when it stops', () => {
    const ms = (file: string, name: RegExp): number =>
      Number(name.exec(read(file))?.[1]?.replaceAll('_', '') ?? NaN);
    // A gateway ends its waits at once, and waits for a request that still comes.
    const edge = podOf(named('Deployment', 'gateway'));
    const [, preStop] = edge.containers[0].lifecycle.preStop.exec.command;
    const request = ms('apps/gateway/src/gateway.ts', /requestTimeout: ([\d_]+)/);
    expect(edge.terminationGracePeriodSeconds).toBeGreaterThan(Number(preStop) + request / 1_000);
    // A service finishes its requests, then its leased jobs.
    const asked = ms('libs/bus/src/bus-server.ts', /const drainMs = ([\d_]+)/);
    const leased = ms('libs/event-store/src/queue.ts', /const drainMs = ([\d_]+)/);
    for (const name of serviceNames)
      expect(podOf(named('Deployment', name)).terminationGracePeriodSeconds).toBeGreaterThan(
        1.5 * ((asked + leased) / 1_000),
      );
  });
});

describe('the connections to Postgres', () => {
  const [, section] = read('docs/deployment.md').split('### Connections');
  const rows = section!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (---|Program)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const [pool] = /(?<=numberSetting\('CARILLON_DB_POOL', )\d+/.exec(
    read('libs/event-store/src/database.ts'),
  ) ?? ['none'];

  it.each([
    ['production', 3],
    ['ha', 5],
  ])('of %s in its largest case are those of the table', (overlay, column) => {
    const { named } = rendered(overlay);
    const beside = (name: string): number => (['push', 'read-models'].includes(name) ? 2 : 1);
    const counted = [...serviceNames].sort().map((name) => {
      const { replicas, strategy } = named('Deployment', name).spec;
      const most = named('HorizontalPodAutoscaler', name)?.spec.maxReplicas ?? replicas;
      const count = most + strategy.rollingUpdate.maxSurge;
      const each = Number(pool) + beside(name);
      return [name, each, count, each * count] as const;
    });
    const all = counted.reduce((sum, [, , , connections]) => sum + connections, 0);
    expect(rows.map((cells) => [cells[1], cells[2], cells[column], cells[column + 1]])).toEqual([
      ...counted.map((cells) => cells.map(String)),
      ['all', '', '', String(all)],
    ]);
    expect(all).toBeLessThan(0.85 * 600);
    expect(read('deploy/observability/rules.yaml')).toContain('> 0.85 * 600');
  });
});

describe('the patches of an overlay', () => {
  const deployment = (name: string, spec: object) => ({ kind: 'Deployment', metadata: { name }, spec });
  const before = [deployment('one', { replicas: 2, ports: [1, 2] }), deployment('two', { replicas: 2 })];
  const after = [
    deployment('one', { ports: [1] }),
    deployment('two', { replicas: 2 }),
    deployment('three', {}),
  ];

  it('hold what it changes, removes and adds, and nothing else', () => {
    const patches = patchesBetween(before, after);
    expect(patches).toEqual([deployment('one', { replicas: null, ports: [1] }), deployment('three', {})]);
    expect(patchedManifests(before, patches)).toEqual(after);
    expect(patchesBetween(before, before)).toEqual([]);
  });

  it('are not made where they could not say the difference', () =>
    expect(() => patchesBetween(before, after.slice(1))).toThrow('manifests are removed'));
});

describe('the Jobs of a restore', () => {
  const { named, of } = rendered('restore');
  const [rows, deletions] = ['restore-rows', 'restore-deletions'].map((name) => named('Job', name));

  it('delete the rows of every service, and the accounts that were deleted since the copy', () => {
    const [rebuilding] = podOf(rows).containers;
    expect(rebuilding.args).toEqual(['rebuild', '--all']);
    expect(rebuilding.env.map(({ name }: Manifest) => name).sort()).toEqual(
      serviceNames.map((service) => `${databaseSetting(service)}_FILE`).sort(),
    );
    const [deleting] = podOf(deletions).containers;
    const list = deleting.args.at(-1);
    expect(deleting.args.slice(0, -1)).toEqual(['admin', 'accounts', 'delete']);
    const { mountPath } = deleting.volumeMounts.find(({ name }: Manifest) => name === 'deleted');
    expect(list).toBe(`--list=${mountPath}/deleted-accounts`);
    const { configMap } = podOf(deletions).volumes.find(({ name }: Manifest) => name === 'deleted');
    const page = read('docs/operations.md');
    expect(page).toContain(`create configmap ${configMap.name} --from-file=deleted-accounts`);
    for (const job of [rows, deletions]) expect(page).toContain(`job/${job.metadata.name}`);
    // It retries for as long as the page waits; a retry comes after six minutes at most.
    const { activeDeadlineSeconds: seconds, backoffLimit } = deletions.spec;
    expect(page).toContain(`job/restore-deletions --timeout=${seconds / 3600}h`);
    expect(backoffLimit * 360).toBeGreaterThan(seconds);
  });

  it.each(overlays)(
    'come to Postgres and NATS of %s and to nothing else, and nobody comes to them',
    (overlay) => {
      const house = rendered(overlay);
      const before = ways(house.workloads, house.of('NetworkPolicy'));
      const policies = [...house.of('NetworkPolicy'), ...of('NetworkPolicy')];
      const after = ways([...house.workloads, rows], policies);
      expect(after.filter((way) => !before.includes(way)).sort()).toEqual([
        'restore-rows > nats:4222',
        ...(overlay === 'dev' ? ['restore-rows > postgres:5432'] : []),
      ]);
    },
  );
});

describe('the pod of the operator', () => {
  const { named, of } = rendered('operator');
  const pod = named('Pod', 'operator');

  it('waits for an hour at most, and asks NATS as the operator', () => {
    expect(pod.spec).toMatchObject({ activeDeadlineSeconds: 3600, restartPolicy: 'Never' });
    const [{ command, env }] = pod.spec.containers;
    expect(command[0]).toBe('sleep');
    expect(env).toEqual(expect.arrayContaining([{ name: 'NATS_USER', value: 'operator' }]));
  });

  it.each(overlays)('comes to NATS and to nothing else of %s, and nobody comes to it', (overlay) => {
    const house = rendered(overlay);
    const before = ways(house.workloads, house.of('NetworkPolicy'));
    const policies = [...house.of('NetworkPolicy'), ...of('NetworkPolicy')];
    const after = ways([...house.workloads, pod], policies);
    expect(after.filter((way) => !before.includes(way))).toEqual(['operator > nats:4222']);
    expect(ways([...house.workloads, pod], house.of('NetworkPolicy'))).toEqual(before);
  });
});
