import {
  type AlertState,
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
 * GitHub, webhooks of a repository, an organization or an app.
 *
 * | Header or field                       | Becomes                                                     |
 * | ------------------------------------- | ----------------------------------------------------------- |
 * | `X-GitHub-Event`                      | which event it is                                           |
 * | `X-GitHub-Delivery`                   | the key of a repetition                                     |
 * | `workflow_run` (completed)            | failed: firing; success: resolved                           |
 * | its repository, workflow, branch and, where it is another, `head_repository` | the dedup key          |
 * | `pull_request` (review_requested)     | "Review requested"                                          |
 * | `dependabot_alert`, `code_scanning_alert`, `secret_scanning_alert` | firing; fixed or dismissed: resolved |
 * | its repository, kind and number       | the dedup key                                               |
 * | any other event                       | its name, its action, and the title of what it is about     |
 * | `repository.full_name`                | the place in the title                                      |
 * | `…html_url`                           | the URL                                                     |
 */
export const github: Preset = ({ fields, headers }) => {
  const event = headers['x-github-event'];
  if (event === undefined) throw unfit('headers.x-github-event', 'must name the event');
  const once = headers['x-github-delivery'] ?? null;
  return [{ ...(readers[event] ?? other(event))(fields), once }];
};

type Reader = (fields: Fields) => Omit<Draft, 'once'>;

const alertOf =
  (kind: string, about: (alert: unknown) => string | undefined): Reader =>
  (fields) => {
    const alert = at(fields, 'alert');
    const action = textAt(fields, 'action') ?? '';
    const state = /^(?:created|reopened|reintroduced|appeared|publicly_leaked|auto_reopened)/.test(action)
      ? 'firing'
      : /^(?:fixed|dismissed|resolved|closed|auto_dismissed)/.test(action)
        ? 'resolved'
        : 'none';
    const name = `${kind} in ${placeOf(fields)}`;
    return {
      title: state === 'none' ? name : titled(state, name),
      body: lines(about(alert), `${words(action)}, number ${textAt(alert, 'number') ?? 'unknown'}`),
      url: textAt(alert, 'html_url'),
      state,
      dedupKey: keyOf(placeOf(fields), kind, textAt(alert, 'number')),
      severity: severityOf(
        textAt(alert, 'security_advisory.severity', 'rule.security_severity_level', 'rule.severity') ??
          (kind === 'Leaked secret' ? 'critical' : undefined),
      ),
    };
  };

const readers: Readonly<Record<string, Reader>> = Object.assign(Object.create(null), {
  workflow_run: (fields: Fields) => {
    const run = at(fields, 'workflow_run');
    const conclusion = textAt(run, 'conclusion');
    const state: AlertState =
      textAt(fields, 'action') !== 'completed'
        ? 'none'
        : conclusion === 'success'
          ? 'resolved'
          : /^(?:failure|timed_out|startup_failure)$/.test(conclusion ?? '')
            ? 'firing'
            : 'none';
    const workflow = textAt(fields, 'workflow.name') ?? textAt(run, 'name') ?? 'Workflow';
    const branch = textAt(run, 'head_branch');
    // The branch of a fork may have the name of one of the repository.
    const head = textAt(run, 'head_repository.full_name');
    const fork = head === textAt(fields, 'repository.full_name') ? undefined : head;
    const result = words(conclusion ?? textAt(run, 'status') ?? textAt(fields, 'action') ?? 'unknown');
    return {
      title: `${workflow} in ${placeOf(fields)}: ${result}`,
      body: lines(
        textAt(run, 'display_title', 'head_commit.message')?.split('\n')[0],
        branch === undefined ? undefined : `Branch ${branch}`,
        byWhom(fields),
      ),
      url: textAt(run, 'html_url'),
      state,
      dedupKey: keyOf(placeOf(fields), textAt(run, 'workflow_id') ?? workflow, branch, fork),
      severity: state === 'firing' ? 'error' : null,
    };
  },
  pull_request: (fields: Fields) => {
    const asked = textAt(fields, 'action') === 'review_requested';
    const pull = at(fields, 'pull_request');
    const whom = textAt(fields, 'requested_reviewer.login', 'requested_team.name');
    return {
      ...other('pull_request')(fields),
      ...(asked && {
        title: `Review requested in ${placeOf(fields)}`,
        body: lines(
          `#${textAt(pull, 'number') ?? '?'} ${textAt(pull, 'title') ?? ''}`,
          whom === undefined ? undefined : `Reviewer ${whom}`,
          byWhom(fields),
        ),
      }),
    };
  },
  dependabot_alert: alertOf('Dependabot alert', (alert) =>
    lines(textAt(alert, 'security_advisory.summary'), textAt(alert, 'dependency.package.name')),
  ),
  code_scanning_alert: alertOf('Code scanning alert', (alert) =>
    textAt(alert, 'rule.description', 'rule.name', 'rule.id'),
  ),
  secret_scanning_alert: alertOf('Leaked secret', (alert) =>
    textAt(alert, 'secret_type_display_name', 'secret_type'),
  ),
} satisfies Record<string, Reader>);

/** What an event is about, in the order in which it is looked for. */
const subjects = [
  'pull_request',
  'issue',
  'discussion',
  'release',
  'check_run',
  'check_suite',
  'deployment',
  'alert',
];

const other =
  (event: string): Reader =>
  (fields) => {
    const subject = subjects.map((name) => at(fields, name)).find(isFields);
    const action = textAt(fields, 'action');
    const title =
      textAt(subject, 'title', 'name', 'tag_name') ?? textAt(fields, 'zen', 'head_commit.message', 'ref');
    return {
      title: `${words(event)}${action === undefined ? '' : ` ${words(action)}`} in ${placeOf(fields)}`,
      body: lines(title, textAt(fields, 'comment.body', 'review.body'), byWhom(fields)),
      url:
        textAt(fields, 'comment.html_url', 'review.html_url') ??
        textAt(subject, 'html_url') ??
        textAt(fields, 'compare', 'repository.html_url'),
      state: 'none',
      dedupKey: null,
      severity: null,
    };
  };

const placeOf = (fields: Fields): string =>
  textAt(fields, 'repository.full_name', 'organization.login', 'sender.login') ?? 'GitHub';

const byWhom = (fields: Fields): string | undefined => {
  const login = textAt(fields, 'sender.login');
  return login === undefined ? undefined : `By ${login}`;
};

const words = (name: string): string => name.replaceAll('_', ' ');
