import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { renderChart } from './chart.mjs';
import { root } from './setup.mjs';

const k8s = join(root, 'k8s');

/** Each file of values that comes with the chart, by its name. */
export const overlays = readdirSync(join(k8s, 'values')).map((file) => file.replace('.yaml', ''));

/** What is applied beside an overlay: a template of its own each, which a value of its name enables. */
export const besides = ['operator', 'restore'];

/** What the chart makes of an overlay, or of what is applied beside one. */
export function renderedChart(name) {
  if (besides.includes(name))
    return renderChart(join(k8s, 'chart'), { [name]: { enabled: true } })
      .filter(({ template }) => template === `${name}.yaml`)
      .map(({ manifest }) => manifest);
  const overlay = load(readFileSync(join(k8s, 'values', `${name}.yaml`), 'utf8'));
  return renderChart(join(k8s, 'chart'), overlay).map(({ manifest }) => manifest);
}
