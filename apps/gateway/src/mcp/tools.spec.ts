import { scopes, type Scope } from '@carillon/contracts';
import { basicScopes } from '@carillon/contracts';
import { lacks, toolNamed, tools, toolsOf } from './tools';

const namesFor = (held: readonly Scope[]): string[] => toolsOf(held).map(({ listing }) => listing.name);
const bytesFor = (held: readonly Scope[]): number =>
  Buffer.byteLength(JSON.stringify({ tools: toolsOf(held).map(({ listing }) => listing) }));

/** The order is fixed, so that a client that keeps a list meets no change. */
const basic = [
  ...['notify', 'withdraw_notification', 'ask', 'wait_for_answer', 'get_prompt', 'cancel_prompt'],
  ...['start_activity', 'update_activity', 'end_activity', 'list_activities'],
];
const others = [
  ...[
    'page_oncall',
    'who_is_on_call',
    'get_page',
    'resolve_page',
    'list_inbox',
    'read_inbox_item',
    'mark_read',
  ],
  ...['list_services', 'list_devices', 'list_apps', 'get_team', 'list_connectors'],
];

describe('the tools of a token', () => {
  it('are all 23 with every scope', () => {
    expect(namesFor(scopes)).toEqual([...basic, ...others, 'whoami']);
    expect(tools).toHaveLength(23);
  });

  it('are those whose scopes it has, in the same order', () => {
    expect(namesFor(basicScopes)).toEqual([...basic, 'whoami']);
    expect(namesFor([])).toEqual(['whoami']);
    expect(namesFor(['interactions:create'])).toEqual(['cancel_prompt', 'whoami']);
    expect(namesFor(['interactions:read', 'interactions:create'])).toEqual([
      ...['ask', 'wait_for_answer', 'get_prompt', 'cancel_prompt', 'whoami'],
    ]);
  });

  it('fit into the context of a model', () => {
    expect(bytesFor(scopes)).toBeLessThanOrEqual(20_000);
    expect(bytesFor(basicScopes)).toBeLessThanOrEqual(8_000);
  });
});

describe('each tool', () => {
  it.each(tools.map((tool) => [tool.listing.name, tool] as const))('%s describes itself', (name, tool) => {
    const { description, inputSchema, outputSchema, annotations } = tool.listing;
    expect(toolNamed(name)).toBe(tool);
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(inputSchema['type']).toBe('object');
    expect(Object.keys(inputSchema['properties'] as object)).toEqual(
      expect.arrayContaining((inputSchema['required'] as string[] | undefined) ?? []),
    );
    expect(Object.keys(outputSchema['properties'] as object).length).toBeGreaterThan(0);
    expect(annotations.readOnlyHint ?? annotations.destructiveHint).toBeDefined();
    expect(lacks(tool, scopes)).toBe(false);
  });

  it('names no argument that its route refuses', () =>
    expect(toolNamed('ask')?.listing.inputSchema['required']).toEqual(['title', 'prompt', 'kind']));

  it('is declared safe to repeat only where a repeat creates nothing', () =>
    expect(
      tools.flatMap(({ listing: { name, annotations } }) => (annotations.idempotentHint ? [name] : [])),
    ).toEqual(['update_activity', 'end_activity']));

  it.each([
    ...['notify', 'ask', 'start_activity', 'update_activity', 'page_oncall'].map(
      (name) => [name, 'idempotencyKey', 7] as const,
    ),
    ['notify', 'idempotencyKey', ['k']],
    ['get_page', 'pageId', undefined],
    ['get_page', 'pageId', 7],
    ['get_page', 'pageId', '..'],
    ['get_page', 'pageId', 'a/b'],
    ['withdraw_notification', 'notificationId', '\ud800'],
    ['wait_for_answer', 'interactionId', '\ud800'],
    ['who_is_on_call', 'groupId', '\ud800'],
    ['who_is_on_call', 'teamId', 7],
    ['get_team', 'teamId', '\ud800'],
    ['get_team', 'teamId', { id: 'team_1' }],
  ] as const)('%s requests no route when its %s is %j', async (name, argument, value) => {
    const ids = argument === 'idempotencyKey' ? { identifier: 'act_1', groupId: 'grp_1' } : {};
    const result = await toolNamed(name)?.call(
      { ...ids, [argument]: value },
      { request: () => Promise.reject(new Error('a route was requested')) },
    );
    expect(result).toMatchObject({ isError: true });
    expect(JSON.parse(result?.content[1]?.text ?? '')).toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ path: argument }],
    });
  });

  it('is found by its name alone', () => {
    expect(toolNamed('constructor')).toBeUndefined();
    expect(toolNamed(undefined)).toBeUndefined();
  });
});
