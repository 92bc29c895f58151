import {
  at,
  type Draft,
  type Fields,
  isFields,
  keyOf,
  lines,
  type Preset,
  severityOf,
  textAt,
  titled,
  unfit,
} from './preset';

/**
 * Sentry, webhooks of an internal integration.
 *
 * | Header or field                                          | Becomes                                            |
 * | -------------------------------------------------------- | -------------------------------------------------- |
 * | `Request-ID`                                             | the key of a repetition                            |
 * | `data.event` (resource `event_alert`)                    | firing. Dedup key: `data.event.issue_id`           |
 * | `data.metric_alert`, `action` critical, warning, resolved | firing or resolved. Dedup key: its alert rule     |
 * | `data.issue`, `action` created, unresolved, resolved, archived, ignored | firing or resolved. Dedup key: its id |
 * | any other resource                                       | its name and its action                            |
 * | `data.event.level`, `data.issue.level`, `action`         | the severity                                       |
 * | `…web_url`, `…permalink`                                 | the URL                                            |
 */
export const sentry: Preset = ({ fields, headers }) => {
  const data = at(fields, 'data');
  if (!isFields(data)) throw unfit('data', 'must be an object');
  const action = textAt(fields, 'action') ?? '';
  const resource = headers['sentry-hook-resource'] ?? 'event';
  return [{ ...readData(data, action, resource), once: headers['request-id'] ?? null }];
};

function readData(data: Fields, action: string, resource: string): Omit<Draft, 'once'> {
  const { event, metric_alert: metric, issue } = data;
  if (isFields(metric)) {
    const state = action === 'resolved' ? 'resolved' : 'firing';
    return {
      title: textAt(data, 'description_title') ?? titled(state, textAt(metric, 'title') ?? 'Metric alert'),
      body: lines(textAt(data, 'description_text'), textAt(metric, 'alert_rule.name')),
      url: textAt(data, 'web_url'),
      state,
      dedupKey: keyOf('metric_alert', textAt(metric, 'alert_rule.id', 'id')),
      severity: severityOf(action),
    };
  }
  if (isFields(event)) {
    return {
      title: titled('firing', textAt(event, 'title', 'message') ?? 'An issue alert'),
      body: lines(
        textAt(data, 'triggered_rule', 'issue_alert.title'),
        textAt(event, 'culprit', 'location'),
        environment(event),
      ),
      url: textAt(event, 'web_url'),
      state: 'firing',
      dedupKey: issueKey(textAt(event, 'issue_id', 'event_id')),
      severity: severityOf(textAt(event, 'level')),
    };
  }
  if (isFields(issue)) {
    const state = /^(?:created|unresolved)$/.test(action)
      ? 'firing'
      : /^(?:resolved|archived|ignored)$/.test(action)
        ? 'resolved'
        : 'none';
    const title = textAt(issue, 'title') ?? 'An issue';
    return {
      title: state === 'none' ? `${title}: ${action}` : titled(state, title),
      body: lines(
        textAt(issue, 'culprit'),
        textAt(issue, 'project.name', 'project.slug'),
        textAt(issue, 'shortId'),
      ),
      url: textAt(issue, 'web_url', 'permalink'),
      state,
      dedupKey: issueKey(textAt(issue, 'id')),
      severity: severityOf(textAt(issue, 'level')),
    };
  }
  return {
    title: `Sentry: ${resource} ${action}`,
    body: lines(
      textAt(data, 'title', 'comment', 'installation.organization.slug'),
      textAt(data, 'project_slug'),
    ),
    url: textAt(data, 'web_url', 'url'),
    state: 'none',
    dedupKey: null,
    severity: null,
  };
}

const issueKey = (id: string | undefined): string | null => (id === undefined ? null : keyOf('issue', id));

const environment = (event: Fields): string | undefined => {
  const name = textAt(event, 'environment');
  return name === undefined ? undefined : `Environment ${name}`;
};
