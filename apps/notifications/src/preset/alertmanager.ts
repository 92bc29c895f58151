import { type ServiceGrouping, severities, type Severity } from '@carillon/contracts';
import {
  at,
  type Draft,
  type Fields,
  isFields,
  keyOf,
  lines,
  type Payload,
  type Preset,
  severityOf,
  textAt,
  titled,
  unfit,
} from './preset';

/**
 * Prometheus Alertmanager, `webhook_configs` (version "4" of its payload).
 *
 * | Field of the payload                                         | Becomes                                       |
 * | ------------------------------------------------------------ | --------------------------------------------- |
 * | `commonLabels.alertname`, else `groupLabels`, else `receiver`| the title, after `Firing:` or `Resolved:`     |
 * | `alerts[].annotations.summary`, `.description`, `.labels`    | the body, a line for each alert, 20 at most   |
 * | `truncatedAlerts`                                            | a line that says how many were left out       |
 * | `alerts[].status`                                            | the state: firing while one alert fires,      |
 * |                                                              | resolved when none does and none is left out  |
 * | `alerts[].generatorURL`, else `externalURL`                  | the URL                                       |
 * | `groupKey` (per alert: `alerts[].fingerprint`)               | the dedup key                                 |
 * | `alerts[].labels.severity`                                   | the severity: the highest of its alerts       |
 * | `alerts[].fingerprint`, `.status`, `.startsAt`               | the key of a repetition                       |
 */
export const alertmanager: Preset = (payload, eventsPer) =>
  alertsIn(payload, eventsPer, {
    sender: 'Alertmanager',
    url: (alert) => textAt(alert, 'generatorURL') ?? textAt(payload.fields, 'externalURL'),
  });

/** What differs between the senders of this payload. */
interface Variant {
  readonly sender: string;
  readonly url: (alert: Fields) => string | undefined;
}

/** Alerts that become an event each, as many as fit into a request of a usual size. */
const maxSingle = 500;
/** Those of them that are pushed; one event of the group tells of all others. */
const maxPushed = 20;
const maxLines = 20;

export function alertsIn(
  { fields }: Payload,
  eventsPer: ServiceGrouping,
  variant: Variant,
): readonly Draft[] {
  const given = at(fields, 'alerts');
  if (!Array.isArray(given) || given.length === 0) throw unfit('alerts', 'must be a list of alerts');
  const alerts = given.map((alert: unknown, index) => {
    if (!isFields(alert)) throw unfit(`alerts[${index}]`, 'must be an object');
    return alert;
  });
  if (eventsPer === 'group') return [ofGroup(fields, alerts, variant)];
  const each = distinct(alerts);
  const single = each.slice(0, maxSingle).map((alert, index) => ({
    ...ofAlert(alert, variant),
    ...(index >= maxPushed && { withoutPush: true }),
  }));
  const others =
    each.length > maxPushed || leftOut(fields) > 0
      ? ofOthers(fields, each, variant)
      : endOfOthers(fields, variant);
  return [...single, others];
}

/** One alert of each identity: one that fires rather than one that is resolved. */
function distinct(alerts: readonly Fields[]): readonly Fields[] {
  const found = new Map<string, Fields>();
  for (const alert of alerts) {
    const key = identity(alert);
    if (!found.has(key) || isFiring(alert)) found.set(key, alert);
  }
  return [...found.values()];
}

function ofGroup(fields: Fields, alerts: readonly Fields[], variant: Variant): Draft {
  const [only] = alerts;
  const firing = alerts.filter(isFiring);
  const isMixed = firing.length > 0 && firing.length < alerts.length;
  const truncated = leftOut(fields);
  const count = alerts.length + truncated;
  const status = textAt(fields, 'status');
  const state = firing.length > 0 || status === 'firing' ? 'firing' : truncated > 0 ? 'none' : 'resolved';
  const name =
    textAt(fields, 'commonLabels.alertname', 'groupLabels.alertname') ??
    (alerts.length === 1 ? textAt(only, 'labels.alertname') : undefined) ??
    (wordsOf(at(fields, 'groupLabels')) || textAt(fields, 'receiver')) ??
    'Alerts';
  const groupKey = textAt(fields, 'groupKey') ?? keyOf(textAt(fields, 'receiver'), name);
  const counted = count > 1 ? `${name} (${count})` : name;
  const missing = `${variant.sender} left out ${truncated} more alerts, which may still fire.`;
  return {
    title: state === 'none' ? `Resolved in part: ${counted}` : titled(state, counted),
    body: lines(
      truncated > 0 ? missing : undefined,
      ...(only && alerts.length === 1 ? [details(only)] : listed(alerts, isMixed)),
    ),
    url: only && variant.url(only),
    state,
    dedupKey: groupKey,
    severity: highest(alerts),
    once: keyOf(groupKey, truncated, status, alerts.map(stateOf).sort()),
    mayRecur: true,
    ...(truncated > 0 && { notes: [{ path: 'truncatedAlerts', message: missing }] }),
  };
}

/**
 * One event for the alerts that are not pushed. It pages for those that have no event of their own: it fires while one
 * of them may fire, and is resolved when all of them are, or when there are none.
 */
function ofOthers(fields: Fields, each: readonly Fields[], variant: Variant): Draft {
  const group = ofGroup(fields, each.slice(maxPushed), variant);
  const beyond = each.slice(maxSingle);
  const isTruncated = leftOut(fields) > 0;
  const mayFire = beyond.some(isFiring) || (isTruncated && group.state === 'firing');
  const missing = `The last ${beyond.length} alerts have no event and no page of their own.`;
  return {
    ...group,
    state: mayFire ? 'firing' : isTruncated ? 'none' : 'resolved',
    severity: isTruncated ? null : highest(beyond),
    ...(beyond.length > 0 && {
      body: lines(missing, group.body),
      notes: [{ path: `alerts[${maxSingle}]`, message: missing }, ...(group.notes ?? [])],
    }),
  };
}

/** Resolves the page of the alerts without an event of their own when there are none any more. */
const endOfOthers = (fields: Fields, variant: Variant): Draft => ({
  ...ofGroup({ ...fields, status: 'resolved' }, [], variant),
  body: 'Each alert of the group has an event of its own again.',
  withoutPush: true,
  onlyResolves: true,
});

function ofAlert(alert: Fields, { url }: Variant): Draft {
  const state = isFiring(alert) ? 'firing' : 'resolved';
  return {
    title: titled(state, textAt(alert, 'labels.alertname') ?? 'Alert'),
    body: details(alert),
    url: url(alert),
    state,
    dedupKey: identity(alert),
    severity: severityOf(textAt(alert, 'labels.severity')),
    once: keyOf(stateOf(alert)),
    mayRecur: true,
  };
}

const isFiring = (alert: Fields): boolean => textAt(alert, 'status') !== 'resolved';

const identity = (alert: Fields): string =>
  textAt(alert, 'fingerprint') ?? keyOf(at(alert, 'labels') ?? null);

const stateOf = (alert: Fields): string =>
  [identity(alert), isFiring(alert) ? 'firing' : 'resolved', textAt(alert, 'startsAt')].join(' ');

function leftOut(fields: Fields): number {
  const truncated = at(fields, 'truncatedAlerts');
  return typeof truncated === 'number' && Number.isSafeInteger(truncated) && truncated > 0 ? truncated : 0;
}

/** Lines about the alerts of a group, as many as can be read. */
function listed(alerts: readonly Fields[], isMixed: boolean): readonly string[] {
  const shown = alerts.slice(0, maxLines).map((alert) => {
    const about =
      textAt(alert, 'annotations.summary', 'annotations.description', 'annotations.message') ??
      wordsOf(at(alert, 'labels'));
    return isMixed ? titled(isFiring(alert) ? 'firing' : 'resolved', about) : about;
  });
  const more = alerts.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more alerts`] : shown;
}

const details = (alert: Fields): string =>
  lines(
    textAt(alert, 'annotations.summary'),
    textAt(alert, 'annotations.description', 'annotations.message'),
    wordsOf(at(alert, 'labels')),
  );

/** Labels in words, without what the title says. */
function wordsOf(labels: unknown): string {
  if (!isFields(labels)) return '';
  return Object.keys(labels)
    .filter((name) => name !== 'alertname')
    .slice(0, 20)
    .map((name) => `${name}: ${textAt({ value: labels[name] }, 'value') ?? ''}`)
    .join(', ');
}

function highest(alerts: readonly Fields[]): Severity | null {
  const found = alerts.map((alert) => severityOf(textAt(alert, 'labels.severity')));
  return severities.findLast((severity) => found.includes(severity)) ?? null;
}
