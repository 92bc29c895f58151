import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { wrongIn } from './published-schemas';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'k8s/examples');
const read = (file: string): any[] => loadAll(readFileSync(join(folder, file), 'utf8')).filter(Boolean);
const all = readdirSync(folder).flatMap(read);
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

  it('let the scavenge of the chart come to the event store', () => {
    const { ingress } = named('NetworkPolicy', 'event-store').spec;
    expect(JSON.stringify(ingress[0].from)).toContain('["event-store","scavenge"]');
    const chart = readFileSync(join(root, 'k8s/rendered/production.yaml'), 'utf8');
    expect(chart).toContain('app.kubernetes.io/name: scavenge');
  });
});
