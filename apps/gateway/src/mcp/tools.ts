import { NotificationCreated, type Scope, StartProps } from '@carillon/contracts';
import { fieldsOf, type JsonSchema } from '@carillon/schema';
import type { Row } from '../request/row';
import { agentTable } from '../table/agent.table';
import { waitRow } from '../wait/wait.controller';
import { askTool, type PromptRows, waitTool } from './ask';
import { routeTool } from './route-tool';
import { briefField, outline } from './schemas';
import { oncallTool, teamTool } from './team-tools';
import type { Tool } from './tool';

function route(method: Row['method'], path: string): Row {
  const found = agentTable.find((row) => row.method === method && row.path === `/api/agent${path}`);
  if (!found) throw new Error(`There is no route ${method} ${path}`);
  return found;
}

const prompts: PromptRows = {
  ask: route('POST', '/interactions'),
  get: route('GET', '/interactions/:id'),
  wait: waitRow,
};
const targets = ['deviceIds', 'deviceGroupId'];
const page = ['limit', 'cursor'];

/** The props that agents use most. A route takes all props that the API describes. */
const shownProps = [
  'title',
  'subtitle',
  'status',
  'detail',
  'progress',
  'state',
  'layout',
  'steps',
  'lines',
  'url',
];
const props: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(
    fieldsOf(StartProps)
      .filter(({ name }) => shownProps.includes(name))
      .map((field) => [field.name, briefField(field)]),
  ),
};
const sameProps: JsonSchema = { type: 'object', description: 'As in start_activity.' };

/** All tools, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  routeTool({
    name: 'notify',
    description: 'Sends a notification. `accepted` counts devices whose push provider took it.',
    row: route('POST', '/notifications'),
    fields: ['title', 'body', 'summary', 'bodyFormat', 'url', 'projectId', ...targets],
    output: outline(NotificationCreated),
  }),
  routeTool({
    name: 'withdraw_notification',
    description: 'Removes a notification from the devices.',
    row: route('POST', '/notifications/:id/withdraw'),
    id: 'notificationId',
    ends: true,
  }),
  askTool(prompts, [
    'title',
    'prompt',
    'kind',
    'choices',
    'primaryLabel',
    'secondaryLabel',
    'url',
    'expiresInSeconds',
    'projectId',
    ...targets,
  ]),
  waitTool(prompts, 'interactionId'),
  routeTool({
    name: 'get_prompt',
    description: 'Shows a prompt of this token and its answer.',
    row: prompts.get,
    id: 'interactionId',
    untrusted: ['interaction.response'],
  }),
  routeTool({
    name: 'cancel_prompt',
    description: 'Cancels a pending prompt: devices stop asking.',
    row: route('POST', '/interactions/:id/cancel'),
    id: 'interactionId',
    ends: true,
  }),
  routeTool({
    name: 'start_activity',
    description: 'Shows progress on the devices until it ends.',
    row: route('POST', '/activities'),
    fields: ['props', 'key', 'replace', 'expiresInSeconds', ...targets],
    nested: { props: { ...props, required: ['title'] } },
  }),
  routeTool({
    name: 'update_activity',
    description: 'Changes the props that are given.',
    row: route('PATCH', '/activities/:identifier'),
    fields: ['props', 'priority'],
    nested: { props: sameProps },
  }),
  routeTool({
    name: 'end_activity',
    description: 'Ends it, with last props if given.',
    row: route('POST', '/activities/:identifier/end'),
    fields: ['props', 'dismissAfterSeconds'],
    nested: { props: sameProps },
    ends: true,
  }),
  routeTool({
    name: 'list_activities',
    description: 'Lists the live activities of this token.',
    row: route('GET', '/activities'),
    fields: ['status', 'key', ...page],
  }),
  routeTool({
    name: 'page_oncall',
    description: 'Wakes people: only for what cannot wait.',
    row: route('POST', '/oncall/:groupId/pages'),
    fields: ['title', 'body', 'url', 'dedupKey'],
  }),
  oncallTool({ group: route('GET', '/oncall/:groupId'), team: route('GET', '/teams/:id/oncall') }),
  routeTool({
    name: 'get_page',
    description: 'Shows an on-call page: who was notified, who has it.',
    row: route('GET', '/pages/:id'),
    id: 'pageId',
    untrusted: ['title', 'body'],
  }),
  routeTool({
    name: 'resolve_page',
    description: 'Ends an on-call page once the trouble is over.',
    row: route('POST', '/pages/:id/resolve'),
    id: 'pageId',
    fields: ['note'],
    ends: true,
    untrusted: ['title', 'body'],
  }),
  routeTool({
    name: 'list_inbox',
    description: 'Lists notifications and events, newest first.',
    row: route('GET', '/inbox/notifications'),
    fields: ['projectId', 'unread', 'q', ...page],
    untrusted: ['items'],
  }),
  routeTool({
    name: 'read_inbox_item',
    description: 'Shows an item of the inbox in full. It stays unread.',
    row: route('GET', '/inbox/notifications/:id'),
    id: 'itemId',
    untrusted: ['title', 'body'],
  }),
  routeTool({
    name: 'mark_read',
    description: 'Marks an item of the inbox as read.',
    row: route('POST', '/inbox/notifications/:id/read'),
    id: 'itemId',
  }),
  routeTool({
    name: 'list_services',
    description: 'Lists webhook services.',
    row: route('GET', '/services'),
    fields: page,
    untrusted: ['services'],
  }),
  routeTool({
    name: 'list_devices',
    description: 'Lists the devices of the account.',
    row: route('GET', '/devices'),
    fields: ['active', 'platform', ...page],
    untrusted: ['devices'],
  }),
  routeTool({
    name: 'list_apps',
    description: 'Lists web apps.',
    row: route('GET', '/apps'),
    fields: page,
    untrusted: ['apps'],
  }),
  teamTool({ one: route('GET', '/teams/:id'), all: route('GET', '/teams') }),
  routeTool({
    name: 'list_connectors',
    description: 'Lists connectors to private services.',
    row: route('GET', '/connectors'),
    fields: page,
    untrusted: ['connectors'],
  }),
  routeTool({
    name: 'whoami',
    description: 'Shows the name and the scopes of the token in use.',
    row: route('GET', '/auth/status'),
  }),
];

/** The scopes of a tool that a token lacks. */
export const lacks = ({ scopes }: Tool, held: readonly Scope[]): boolean =>
  !scopes.every((scope) => held.includes(scope));

export const toolsOf = (held: readonly Scope[]): readonly Tool[] =>
  tools.filter((tool) => !lacks(tool, held));

const byName = new Map(tools.map((tool) => [tool.listing.name, tool]));

export const toolNamed = (name: string | undefined): Tool | undefined =>
  name === undefined ? undefined : byName.get(name);
