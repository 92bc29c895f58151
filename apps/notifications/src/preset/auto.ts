import { alertmanager } from './alertmanager';
import { gatus } from './gatus';
import { github } from './github';
import { gitlab } from './gitlab';
import { grafana } from './grafana';
import { healthchecks } from './healthchecks';
import { at, type Draft, isFields, type Payload, type Preset, textAt } from './preset';
import { Refused } from '@carillon/eventing';
import { sentry } from './sentry';
import { stripe } from './stripe';
import { uptimeKuma } from './uptime-kuma';

/**
 * Recognises the sender of a payload.
 *
 * | Header or fields                               | Preset         |
 * | ---------------------------------------------- | -------------- |
 * | `X-GitHub-Event`                               | `github`       |
 * | `X-Gitlab-Event`                               | `gitlab`       |
 * | `Sentry-Hook-Resource`                         | `sentry`       |
 * | `object` is "event", `type`, `data.object`     | `stripe`       |
 * | `alerts` and `orgId`                           | `grafana`      |
 * | `alerts` and `groupKey`                        | `alertmanager` |
 * | `heartbeat`, `monitor` and `msg`               | `uptime-kuma`  |
 * | `status` and `n_pings`                         | `healthchecks` |
 * | `endpoint` and `state`                         | `gatus`        |
 *
 * What nobody knows is shown as it came, under the title of the service: its JSON, 2,000 characters of it, as code.
 */
export const auto: Preset = (payload, eventsPer) => {
  const known = presetOf(payload);
  try {
    return known ? known(payload, eventsPer) : [asItCame(payload)];
  } catch (error) {
    // It looks like a known sender's and is not: it is shown rather than lost.
    if (error instanceof Refused) return [asItCame(payload)];
    throw error;
  }
};

function presetOf({ fields, headers }: Payload): Preset | undefined {
  if (headers['x-github-event'] !== undefined) return github;
  if (headers['x-gitlab-event'] !== undefined) return gitlab;
  if (headers['sentry-hook-resource'] !== undefined) return sentry;
  if (at(fields, 'object') === 'event' && textAt(fields, 'type') && isFields(at(fields, 'data.object')))
    return stripe;
  if (Array.isArray(at(fields, 'alerts'))) {
    if (at(fields, 'orgId') !== undefined) return grafana;
    if (textAt(fields, 'groupKey') !== undefined) return alertmanager;
  }
  if (isFields(at(fields, 'heartbeat')) && isFields(at(fields, 'monitor')) && textAt(fields, 'msg'))
    return uptimeKuma;
  if (textAt(fields, 'status') !== undefined && at(fields, 'n_pings') !== undefined) return healthchecks;
  if (textAt(fields, 'endpoint') !== undefined && textAt(fields, 'state') !== undefined) return gatus;
  return undefined;
}

const asItCame = ({ fields }: Payload): Draft => ({
  body: JSON.stringify(fields, undefined, 2),
  state: 'none',
  dedupKey: null,
  severity: null,
  once: null,
  isCode: true,
});
