import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { renderChart } from './chart.mjs';
import { root } from './setup.mjs';

const k8s = join(root, 'k8s');

/** Each file of values that comes with the chart, by its name. */
export const overlays = readdirSync(join(k8s, 'values')).map((file) => file.replace('.yaml', ''));

/** What the chart makes of an overlay, or the operator's pod, which is applied beside one. */
export function renderedChart(name) {
  if (name === 'operator')
    return renderChart(join(k8s, 'chart'), { operator: { enabled: true } })
      .filter(({ template }) => template === 'operator.yaml')
      .map(({ manifest }) => manifest);
  const overlay = load(readFileSync(join(k8s, 'values', `${name}.yaml`), 'utf8'));
  return renderChart(join(k8s, 'chart'), overlay).map(({ manifest }) => manifest);
}
