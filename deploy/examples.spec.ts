import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { wrongIn } from './published-schemas';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'k8s/examples');
const read = (file: string): any[] => loadAll(readFileSync(join(folder, file), 'utf8')).filter(Boolean);
/** Of another chart. */
const natsValues = 'nats-values.yaml';
const all = readdirSync(folder)
  .filter((file) => file !== natsValues)
  .flatMap(read);
const named = (kind: string, name: string): any =>
  all.find((each) => each.kind === kind && each.metadata.name === name);
/** Of operators whose schemas no package has: docs/deployment.md says how these were checked. */
const unchecked = ['Cluster', 'ObjectStore', 'ScheduledBackup'];

describe('the examples of the parts', () => {
  it('are what the published schemas take', () => {
    const checked = all.filter(({ kind }) => !unchecked.includes(kind));
    expect(checked.length).toBeGreaterThan(12);
    expect(
      checked.flatMap((each) => wrongIn(each).map((wrong) => `${each.kind}/${each.metadata.name}: ${wrong}`)),
    ).toEqual([]);
  });

  it('are in the namespace of the chart', () =>
    expect(all.filter(({ metadata }) => metadata.namespace !== 'carillon')).toEqual([]));

  it('have a Postgres with the connections of the largest case, which the alert reckons with', () => {
    const { max_connections: most } = named('Cluster', 'postgres').spec.postgresql.parameters;
    expect(readFileSync(join(root, 'deploy/observability/rules.yaml'), 'utf8')).toContain(`> 0.85 * ${most}`);
    const { plugins } = named('Cluster', 'postgres').spec;
    expect(named('ObjectStore', plugins[0].parameters.barmanObjectName)).toBeDefined();
    expect(named('ScheduledBackup', 'postgres').spec.pluginConfiguration.name).toBe(plugins[0].name);
  });

  it('make the certificates that the chart and the event store mount', () => {
    const secrets = all.filter(({ kind }) => kind === 'Certificate').map(({ spec }) => spec.secretName);
    expect(secrets).toEqual(expect.arrayContaining(['nats-tls', 'event-store-tls']));
    const mounted = JSON.stringify(named('StatefulSet', 'event-store').spec.template.spec.volumes);
    expect(mounted).toContain('"secretName":"event-store-tls"');
  });

  it('restore the volumes that the nodes of the event store have', () => {
    const { spec, metadata } = named('StatefulSet', 'event-store');
    const [template] = spec.volumeClaimTemplates;
    const claims = all.filter(({ kind }) => kind === 'PersistentVolumeClaim');
    expect(claims.map((claim) => claim.metadata.name)).toEqual(
      [0, 1, 2].map((n) => `${template.metadata.name}-${metadata.name}-${n}`),
    );
    expect(claims).toHaveLength(spec.replicas);
    for (const claim of claims) {
      const { dataSource, ...rest } = claim.spec;
      expect(rest).toEqual(template.spec);
      expect(dataSource.kind).toBe('VolumeSnapshot');
    }
  });

  it('let the scavenge of the chart come to the event store', () => {
    const { ingress } = named('NetworkPolicy', 'event-store').spec;
    expect(JSON.stringify(ingress[0].from)).toContain('["event-store","scavenge"]');
    const chart = readFileSync(join(root, 'k8s/rendered/production.yaml'), 'utf8');
    expect(chart).toContain('app.kubernetes.io/name: scavenge');
  });
});

describe('the values for the NATS chart of its makers', () => {
  const { version, keys } = JSON.parse(readFileSync(join(root, 'deploy/nats/makers-chart.json'), 'utf8')) as {
    readonly version: string;
    readonly keys: readonly string[];
  };
  const [values] = read(natsValues);
  const conf = readFileSync(join(root, 'k8s/chart/files/nats/nats.conf'), 'utf8');
  const ours = load(readFileSync(join(root, 'k8s/chart/values.yaml'), 'utf8')) as any;
  /** The paths in a tree as far as the chart names them: below `merge`, `patch` and `env` anything may stand. */
  const pathsIn = (tree: object, at = ''): string[] =>
    Object.entries(tree).flatMap(([name, value]) => {
      const path = at ? `${at}.${name}` : name;
      const isTree = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isTree && !keys.includes(path) ? pathsIn(value, path) : [path];
    });

  it('are keys that its version has', () => {
    const unknown = (tree: object): string[] => pathsIn(tree).filter((path) => !keys.includes(path));
    expect(unknown(values)).toEqual([]);
    expect(unknown({ config: { jetstream: { fileStorage: 1 }, merge: { anything: 1 } } })).toEqual([
      'config.jetstream.fileStorage',
    ]);
    const text = readFileSync(join(folder, natsValues), 'utf8');
    expect(text).toContain(`--version ${version} `);
    expect(readFileSync(join(root, 'docs/deployment.md'), 'utf8')).toContain(`\`nats\` ${version}`);
  });

  it('give the servers what those of our chart have', () => {
    const { cluster, jetstream, nats, merge } = values.config;
    const of = (name: string): string => new RegExp(`${name}: "?([\\w.]+)"?`).exec(conf)![1]!;
    expect({ ...merge, $include: undefined, max_payload: String(merge.max_payload) }).toEqual({
      $include: undefined,
      max_payload: of('max_payload'),
      ping_interval: of('ping_interval'),
      ping_max: Number(of('ping_max')),
      write_deadline: of('write_deadline'),
    });
    expect(jetstream.fileStore).toEqual({
      pvc: { size: ours.nats.storage },
      maxSize: of('max_file_store'),
    });
    expect(jetstream.memoryStore.maxSize).toBe(of('max_memory_store'));
    expect([cluster.tls.secretName, nats.tls.secretName, values.tlsCA.secretName]).toEqual(
      Array(3).fill('nats-tls'),
    );
    expect(cluster.tls.merge.verify).toBe(true);
    const { image, env, merge: container } = values.container;
    expect(ours.nats.image).toBe(`nats:${image.tag}`);
    expect(env.GOMEMLIMIT).toBe(ours.nats.softMemoryLimit);
    expect(container.resources).toEqual(ours.nats.resources);
    expect(values.reloader.merge.resources).toEqual(ours.nats.sidecarResources);
  });

  it('have them include the users that our chart brings, and read them again when these change', () => {
    const [{ value: mount }] = values.container.patch;
    const { name, projected } = values.podTemplate.patch[0].value;
    expect(name).toBe(mount.name);
    // From the folder of the configuration, /etc/nats-config.
    expect(join('/etc/nats-config', values.config.merge.$include)).toBe(`${mount.mountPath}/accounts.conf`);
    const [users, passwords] = projected.sources;
    const rendered = loadAll(readFileSync(join(root, 'k8s/rendered/production.yaml'), 'utf8')) as any[];
    const made = rendered.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === users.configMap.name,
    );
    expect(Object.keys(made.data)).toContain(users.configMap.items[0].key);
    expect(passwords.secret.name).toBe('nats-passwords');
    expect(values.reloader.patch.map((each: any) => each.value)).toEqual([
      '-config',
      `${mount.mountPath}/${passwords.secret.items[0].path}`,
    ]);
  });
});
