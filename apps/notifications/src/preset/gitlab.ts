import { at, type Draft, type Fields, keyOf, lines, type Preset, textAt, titled, unfit } from './preset';

/**
 * GitLab, webhooks of a project or a group.
 *
 * | Header or field                              | Becomes                                                         |
 * | -------------------------------------------- | --------------------------------------------------------------- |
 * | `object_kind`                                | which event it is                                               |
 * | `X-Gitlab-Event-UUID`, with the state        | the key of a repetition                                         |
 * | `pipeline`: `object_attributes.status`       | failed: firing; success: resolved. Dedup key: project, branch   |
 * | `build`: `build_status`                      | the same. Dedup key: project, branch, job                       |
 * | `deployment`: `status`                       | the same. Dedup key: project, environment                       |
 * | any other event                              | its kind, its action, and the title of what it is about         |
 * | `project.path_with_namespace`                | the place in the title                                          |
 * | `object_attributes.url`, else `project.web_url` | the URL                                                      |
 */
export const gitlab: Preset = ({ fields, headers }) => {
  const kind = textAt(fields, 'object_kind', 'event_name');
  if (kind === undefined) throw unfit('object_kind', 'must name the kind of the event');
  const delivery = headers['x-gitlab-event-uuid'];
  const draft =
    kind === 'pipeline' || kind === 'build' || kind === 'deployment'
      ? run(kind, fields)
      : other(kind, fields);
  return [{ ...draft, once: delivery === undefined ? null : keyOf(delivery, kind, draft.title) }];
};

function run(kind: 'pipeline' | 'build' | 'deployment', fields: Fields): Omit<Draft, 'once'> {
  const status = textAt(fields, 'object_attributes.status', 'build_status', 'status') ?? 'unknown';
  const state = status === 'failed' ? 'firing' : status === 'success' ? 'resolved' : 'none';
  const branch = textAt(fields, 'object_attributes.ref', 'ref');
  const name = {
    pipeline: 'Pipeline',
    build: `Job ${textAt(fields, 'build_name') ?? ''}`,
    deployment: `Deployment to ${textAt(fields, 'environment') ?? 'an environment'}`,
  }[kind];
  const title = `${name} in ${placeOf(fields)}`;
  return {
    title: state === 'none' ? `${title}: ${status}` : `${titled(state, title)}`,
    body: lines(
      textAt(fields, 'commit.title', 'commit.message', 'commit_title')?.split('\n')[0],
      branch === undefined ? undefined : `Branch ${branch}`,
      kind === 'pipeline' ? failedJobs(fields) : undefined,
      byWhom(fields),
    ),
    url: textAt(fields, 'object_attributes.url', 'deployable_url', 'project.web_url'),
    state,
    dedupKey: keyOf(
      placeOf(fields),
      kind,
      kind === 'pipeline' ? branch : name,
      kind === 'build' ? branch : '',
    ),
    severity: state === 'firing' ? 'error' : null,
  };
}

function failedJobs(fields: Fields): string | undefined {
  const builds = at(fields, 'builds');
  if (!Array.isArray(builds)) return undefined;
  const names = builds
    .filter((build: unknown) => textAt(build, 'status') === 'failed')
    .slice(0, 10)
    .map((build: unknown) => textAt(build, 'name') ?? '');
  return names.length === 0 ? undefined : `Failed: ${names.join(', ')}`;
}

function other(kind: string, fields: Fields): Omit<Draft, 'once'> {
  const action = textAt(fields, 'object_attributes.action', 'action');
  const about = textAt(
    fields,
    'object_attributes.title',
    'object_attributes.note',
    'merge_request.title',
    'ref',
  );
  return {
    title: `${kind.replaceAll('_', ' ')}${action === undefined ? '' : ` ${action}`} in ${placeOf(fields)}`,
    body: lines(about, byWhom(fields)),
    url: textAt(fields, 'object_attributes.url', 'url', 'project.web_url'),
    state: 'none',
    dedupKey: null,
    severity: null,
  };
}

const placeOf = (fields: Fields): string =>
  textAt(fields, 'project.path_with_namespace', 'project.name', 'project_name', 'group.full_path') ??
  'GitLab';

const byWhom = (fields: Fields): string | undefined => {
  const name = textAt(fields, 'user.name', 'user_name', 'user_username');
  return name === undefined ? undefined : `By ${name}`;
};
