import { HookMessage, presets, type ServicePreset } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { check } from '@carillon/schema';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, type Reading } from './read';

interface Recorded {
  /** The program and the version that it comes from. */
  readonly source: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, any>;
}

const folder = join(import.meta.dirname, 'payloads');
const names = readdirSync(folder).map((file) => file.replace('.json', ''));
const recorded = (name: string): Recorded => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
const presetOf = (name: string): ServicePreset =>
  presets.find((preset) => name.startsWith(preset)) as ServicePreset;

interface Sent {
  readonly preset?: ServicePreset;
  readonly eventsPer?: 'group' | 'alert';
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
}
const readText = (text: string, { preset = 'plain', eventsPer = 'group', ...sent }: Sent = {}) =>
  read(
    { preset, eventsPer },
    { headers: {}, contentType: 'application/json', ...sent, payload: Buffer.from(text) },
  );
const readBody = (body: unknown, sent?: Sent) => readText(JSON.stringify(body), sent);
const one = (readings: readonly Reading[]): Reading => {
  expect(readings).toHaveLength(1);
  return readings[0] as Reading;
};
const ofRecorded = (name: string, sent: Sent = {}): Reading => {
  const { headers, body } = recorded(name);
  return one(readBody(body, { preset: presetOf(name), headers, ...sent }));
};
const refusal = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refused)
      return [
        error.reason,
        ...((error.details['issues'] ?? []) as { path: string }[]).map(({ path }) => path),
      ];
    throw error;
  }
};

describe('a recorded payload', () => {
  it.each([
    [
      'alertmanager-firing',
      {
        message: {
          title: 'Firing: DiskFull (2)',
          body: 'Disk of db-1 is full\nDisk of db-2 is full',
          url: 'http://prometheus.example.org:9090/graph?g0.expr=disk',
        },
        state: 'firing',
        dedupKey: '{}:{alertname="DiskFull"}',
        severity: 'critical',
      },
    ],
    [
      'alertmanager-resolved',
      {
        message: { title: 'Resolved: DiskFull (2)' },
        state: 'resolved',
        dedupKey: '{}:{alertname="DiskFull"}',
      },
    ],
    [
      'grafana-firing',
      {
        message: {
          title: 'Firing: My Super Webhook (2)',
          body: 'This alert was triggered for zone us-1\nThis alert was triggered for zone eu-1',
          url: 'https://play.grafana.org/alerting/1afz29v7z/edit',
        },
        state: 'firing',
        dedupKey: '{}:{}',
        severity: null,
      },
    ],
    [
      'github-workflow-run',
      {
        message: {
          title: 'test in octo-org/octo-repo: failure',
          body: 'build(test): check workflow run event payload\nBranch master\nBy Codertocat',
          url: 'https://github.com/octo-org/octo-repo/actions/runs/289782451',
        },
        state: 'firing',
        severity: 'error',
        once: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      },
    ],
    [
      'github-review-requested',
      {
        message: {
          title: 'Review requested in Codertocat/Hello-World',
          body: '#2 Update the README with new information.\nReviewer Codertocat\nBy Codertocat',
          url: 'https://github.com/Codertocat/Hello-World/pull/2',
        },
        state: 'none',
      },
    ],
    [
      'github-dependabot-alert',
      {
        message: {
          title: 'Firing: Dependabot alert in wolfy1339/pika-pack',
          body: 'semver vulnerable to Regular Expression Denial of Service\nsemver\ncreated, number 20',
        },
        state: 'firing',
        severity: 'warning',
      },
    ],
    [
      'gitlab-pipeline',
      {
        message: {
          title: 'Firing: Pipeline in gitlab-org/gitlab-test',
          body: 'test\nBranch master\nFailed: test-build\nBy Administrator',
          url: 'http://example.com/gitlab-org/gitlab-test/-/pipelines/31',
        },
        state: 'firing',
        severity: 'error',
      },
    ],
    [
      'sentry-issue-alert',
      {
        message: {
          title: 'Firing: ReferenceError: heck is not defined',
          body: 'Very Important Alert Rule!\n?(<anonymous>)',
        },
        state: 'firing',
        severity: 'error',
        once: '0b1e4a6e8fd14a0c8b8c31b0ac1f4b68',
      },
    ],
    [
      'sentry-metric-alert',
      { message: { title: 'Resolved: Too many errors' }, state: 'resolved', severity: null },
    ],
    [
      'stripe-charge-failed',
      {
        message: {
          title: 'Stripe: charge failed',
          body: '20.00 USD\nYour card was declined.\n(created by Stripe CLI)\nTest mode',
        },
        state: 'none',
        severity: 'warning',
        once: 'evt_000000000000000000000000',
      },
    ],
    [
      'uptime-kuma-down',
      {
        message: { title: 'Firing: Test', body: 'getaddrinfo ENOTFOUND test.com', url: 'https://test.com' },
        state: 'firing',
        dedupKey: 'monitor 29',
      },
    ],
    [
      'healthchecks-down',
      {
        message: {
          title: 'Firing: Nightly backup',
          body: 'Dumps the database\nLast ping 2026-11-20T02:00:11+00:00\nprod db',
        },
        state: 'firing',
      },
    ],
    [
      'gatus-triggered',
      {
        message: { title: 'Firing: core/frontend', url: 'https://example.org/health' },
        state: 'firing',
        dedupKey: 'endpoint core/frontend',
      },
    ],
  ])('of %s is read', (name, expected) => expect(ofRecorded(name)).toMatchObject(expected));

  it('is there for each preset of a tool, with its source', () => {
    const tools = presets.filter((preset) => preset !== 'plain' && preset !== 'auto');
    expect(new Set(names.map(presetOf))).toEqual(new Set(tools));
    // A release, or a commit of its source or documentation.
    for (const name of names)
      expect(recorded(name).source).toMatch(/ v?\d+\.\d+(\.\d+)?\b|\d{4}-\d{2}-\d{2}| at [0-9a-f]{7}\b/);
  });

  it.each(names)('of %s is recognised, also at a service without a preset', (name) => {
    const named = ofRecorded(name);
    expect(ofRecorded(name, { preset: 'auto' })).toEqual(named);
    // Grafana's own `message` is a text of the plain form.
    if (!name.startsWith('grafana')) expect(ofRecorded(name, { preset: 'plain' })).toEqual(named);
  });
});

describe('what fires and what is resolved', () => {
  const changed = (name: string, change: (body: Recorded['body']) => void, sent: Sent = {}) => {
    const { headers, body } = recorded(name);
    change(body);
    return one(readBody(body, { preset: presetOf(name), headers, ...sent }));
  };
  it.each([
    ['github-workflow-run', (body: Recorded['body']) => (body['workflow_run'].conclusion = 'success')],
    ['github-dependabot-alert', (body: Recorded['body']) => (body['action'] = 'fixed')],
    ['gitlab-pipeline', (body: Recorded['body']) => (body['object_attributes'].status = 'success')],
    ['uptime-kuma-down', (body: Recorded['body']) => (body['heartbeat'].status = 1)],
    ['healthchecks-down', (body: Recorded['body']) => (body['status'] = 'up')],
    ['gatus-triggered', (body: Recorded['body']) => (body['state'] = 'RESOLVED')],
  ])('of %s have one key', (name, resolve) => {
    const [fired, resolved] = [ofRecorded(name), changed(name, resolve)];
    expect(resolved.state).toBe('resolved');
    expect(fired.dedupKey).not.toBeNull();
    expect(resolved.dedupKey).toBe(fired.dedupKey);
  });

  it('of a workflow have a key for each repository whose branch has run', () => {
    const of = (full_name: string, conclusion: string) =>
      changed('github-workflow-run', (body) => {
        body['workflow_run'].head_repository = { full_name };
        body['workflow_run'].conclusion = conclusion;
      }).dedupKey;
    const own = of('octo-org/octo-repo', 'failure');
    expect(own).toBe(ofRecorded('github-workflow-run').dedupKey);
    const fork = of('someone/octo-repo', 'failure');
    expect(fork).not.toBe(own);
    expect(of('someone/octo-repo', 'success')).toBe(fork);
    expect(of('another/octo-repo', 'success')).not.toBe(fork);
  });

  it('of an issue of Sentry have one key, by whichever resource', () => {
    const issue = { id: '1117540176', title: 'ReferenceError', level: 'error' };
    const headers = { 'sentry-hook-resource': 'issue' };
    expect(
      one(readBody({ action: 'resolved', data: { issue } }, { preset: 'sentry', headers })),
    ).toMatchObject({
      state: 'resolved',
      dedupKey: ofRecorded('sentry-issue-alert').dedupKey,
    });
  });
});

describe('a group of alerts', () => {
  const group = (): Recorded['body'] => recorded('alertmanager-firing').body;
  const alertmanager = { preset: 'alertmanager' } as const;

  it('fires while one of its alerts does', () => {
    const body = group();
    body['alerts'][0].status = 'resolved';
    expect(one(readBody(body, alertmanager))).toMatchObject({
      state: 'firing',
      message: { body: 'Resolved: Disk of db-1 is full\nFiring: Disk of db-2 is full' },
    });
  });

  it('is the same again in the same state, and not when an alert comes, goes or starts anew', () => {
    const once = (change: (body: Recorded['body']) => void): string | null => {
      const body = group();
      change(body);
      return one(readBody(body, alertmanager)).once;
    };
    const first = once(() => {});
    expect(once((body) => body['alerts'].reverse())).toBe(first);
    expect(once((body) => (body['alerts'][0].annotations.summary = 'other words'))).toBe(first);
    expect(once((body) => body['alerts'].pop())).not.toBe(first);
    expect(once((body) => (body['alerts'][0].status = 'resolved'))).not.toBe(first);
    expect(once((body) => (body['alerts'][0].startsAt = '2026-11-27T00:00:00Z'))).not.toBe(first);
    expect(once((body) => (body['groupKey'] = 'other'))).not.toBe(first);
  });

  it('says how many alerts its sender left out', () => {
    const { message } = one(readBody({ ...group(), truncatedAlerts: 7 }, alertmanager));
    expect(message.title).toBe('Firing: DiskFull (9)');
    expect(message.body).toContain('Alertmanager left out 7 more alerts');
  });

  it('may be an event for each alert', () => {
    const readings = readBody(group(), { ...alertmanager, eventsPer: 'alert' });
    expect(readings).toMatchObject([
      { dedupKey: 'bafaf1f2a64a6f67', message: { title: 'Firing: DiskFull' }, state: 'firing' },
      { dedupKey: '659ac4bd08b16a66' },
      { state: 'resolved', withoutPush: true, onlyResolves: true },
    ]);
    expect(new Set(readings.map(({ once }) => once)).size).toBe(3);
  });

  const many = (count: number, change: (n: number) => object = () => ({})) => ({
    groupKey: 'many',
    alerts: Array.from({ length: count }, (_, n) => ({ fingerprint: `a${n}`, ...change(n) })),
  });
  const perAlert = (body: object) => readBody(body, { ...alertmanager, eventsPer: 'alert' });

  it('of 10,000 alerts is one event, or 500 and one that pages for all others', () => {
    expect(one(readBody(many(10_000), alertmanager)).message.body).toMatch(/and 9980 more alerts$/);
    const each = perAlert(many(10_000));
    expect(each.map(({ dedupKey }) => dedupKey)).toEqual([
      ...Array.from({ length: 500 }, (_, n) => `a${n}`),
      'many',
    ]);
    expect(each.filter(({ withoutPush }) => !withoutPush)).toHaveLength(21);
    expect(each.at(-1)).toMatchObject({
      state: 'firing',
      message: {
        title: 'Firing: Alerts (9980)',
        body: expect.stringMatching(/^The last 9500 alerts have no event and no page of their own\.\n/),
      },
      notes: [{ path: 'alerts[500]' }],
    });
  });

  it('of 60 alerts has a state of each, and one event more that pages nobody', () => {
    const each = perAlert(many(60, (n) => ({ status: n === 59 ? 'resolved' : 'firing' })));
    expect(each).toHaveLength(61);
    expect(each[58]).toMatchObject({ dedupKey: 'a58', state: 'firing', withoutPush: true });
    expect(each[59]).toMatchObject({ dedupKey: 'a59', state: 'resolved', withoutPush: true });
    expect(each[60]).toMatchObject({ state: 'resolved', message: { title: 'Firing: Alerts (40)' } });
    expect(each[60]?.withoutPush).toBeUndefined();
  });

  it('is resolved beyond 500 alerts only when all of these are', () => {
    const beyond = (count: number, isFiring: (n: number) => boolean, more: object = {}) =>
      perAlert({ ...many(count, (n) => ({ status: isFiring(n) ? 'firing' : 'resolved' })), ...more }).at(-1);
    expect(beyond(502, () => false)).toMatchObject({ state: 'resolved', dedupKey: 'many' });
    expect(beyond(502, (n) => n === 501)).toMatchObject({ state: 'firing', dedupKey: 'many' });
    expect(beyond(502, (n) => n < 500)).toMatchObject({ state: 'resolved' });
    expect(beyond(502, () => false, { truncatedAlerts: 1 })).toMatchObject({ state: 'none' });
    expect(beyond(500, () => true)).toMatchObject({ state: 'resolved', dedupKey: 'many' });
    expect(beyond(20, () => true)).toMatchObject({
      state: 'resolved',
      dedupKey: 'many',
      message: { title: 'Resolved: Alerts' },
      onlyResolves: true,
    });
    expect(beyond(20, () => true, { truncatedAlerts: 1, status: 'firing' })).toMatchObject({
      state: 'firing',
    });
  });

  it('is never resolved by what its sender left out, and pages for it while the group fires', () => {
    const resolved = { ...many(2, () => ({ status: 'resolved' })), truncatedAlerts: 7, status: 'resolved' };
    expect(one(readBody(resolved, alertmanager))).toMatchObject({
      state: 'none',
      message: { title: 'Resolved in part: Alerts (9)' },
      notes: [{ path: 'truncatedAlerts' }],
    });
    expect(perAlert(resolved)).toMatchObject([
      { state: 'resolved' },
      { state: 'resolved' },
      { state: 'none' },
    ]);
    expect(perAlert({ ...resolved, status: 'firing' }).at(-1)).toMatchObject({
      state: 'firing',
      severity: null,
      dedupKey: 'many',
    });
  });

  it('has one event of each alert, which fires where it is there twice', () => {
    const status = (n: number) => ({ fingerprint: 'same', status: n === 1 ? 'firing' : 'resolved' });
    const withoutEnd = (body: object) => perAlert(body).filter(({ onlyResolves }) => !onlyResolves);
    expect(withoutEnd(many(3, status))).toMatchObject([{ state: 'firing', dedupKey: 'same' }]);
    const unnamed = withoutEnd({ alerts: [{ labels: { alertname: 'A' } }, { labels: { alertname: 'B' } }] });
    expect(new Set(unnamed.map(({ dedupKey }) => dedupKey)).size).toBe(2);
  });
});

describe('a payload that does not fit', () => {
  it.each<[ServicePreset, unknown, string]>([
    ['alertmanager', { receiver: 'a' }, 'alerts'],
    ['alertmanager', { alerts: [] }, 'alerts'],
    ['grafana', { alerts: [{}, 7] }, 'alerts[1]'],
    ['github', { action: 'completed' }, 'headers.x-github-event'],
    ['gitlab', {}, 'object_kind'],
    ['sentry', { data: [] }, 'data'],
    ['stripe', { id: 'evt_1' }, 'type'],
    ['uptime-kuma', { heartbeat: {} }, 'msg'],
    ['healthchecks', { name: 'a' }, 'status'],
    ['gatus', { state: 'TRIGGERED' }, 'endpoint'],
    ['gatus', { endpoint: 'a', state: 'open' }, 'state'],
  ])('to %s is refused with its path', (preset, body, path) =>
    expect(refusal(() => readBody(body, { preset }))).toEqual(['input.invalid', path]),
  );

  it('is refused when it is cut or nests without end', () => {
    const [preset, deep] = ['alertmanager', `{"alerts":${'['.repeat(30_000)}${']'.repeat(30_000)}}`] as const;
    expect(refusal(() => readText('{"alerts":[{', { preset }))).toEqual(['hook.not_json']);
    expect(refusal(() => readText(deep, { preset }))).toEqual(['input.invalid', '']);
    expect(refusal(() => readText(deep))).toEqual(['input.invalid', '']);
  });
});

describe('what nobody knows', () => {
  it('is shown as code, in a fence that it cannot close', () => {
    const { message, state } = one(readBody({ job: 'nightly', note: '```\n# Heading <b>' }));
    expect(message).toEqual({
      bodyFormat: 'markdown',
      body: '````json\n{\n  "job": "nightly",\n  "note": "```\\n# Heading <b>"\n}\n````',
    });
    expect(state).toBe('none');
  });
  it('is cut to 2,000 characters', () =>
    expect(one(readBody({ note: 'x'.repeat(9_000) })).message.body).toHaveLength(
      2_000 + '```json\n\n```'.length,
    ));
});

describe('a name', () => {
  it('turns no text around and hides nothing', () => {
    const name = 'safe\u202Eexe.\u0000\u2066txt\u0085';
    const body = { endpoint: name, state: 'TRIGGERED', description: `a\u0000b\r\nc ${'\ud83d'}` };
    expect(one(readBody(body, { preset: 'gatus' })).message).toMatchObject({
      title: 'Firing: safeexe.txt',
      body: 'ab\nc \ufffd',
    });
  });
  it('leads nowhere but to the web', () => {
    const body = { endpoint: 'a', state: 'TRIGGERED', url: 'javascript:alert(1)' };
    expect(one(readBody(body, { preset: 'gatus' })).message.url).toBeUndefined();
  });
});

describe('any payload', () => {
  /** A recorded payload in which some values are replaced by others. */
  const mutated = fc
    .tuple(fc.constantFrom(...names), fc.array(fc.tuple(fc.nat(60), fc.jsonValue()), { maxLength: 6 }))
    .map(([name, changes]) => {
      const { headers, body } = recorded(name);
      let index = 0;
      const text = JSON.stringify(body, (key, value: unknown) => {
        index += 1;
        const change = changes.find(([at]) => at + 1 === index);
        return change && key !== '' ? change[1] : value;
      });
      return { preset: presetOf(name), headers, text };
    });
  const headers = fc.dictionary(
    fc.constantFrom('x-github-event', 'x-gitlab-event', 'sentry-hook-resource', 'request-id'),
    fc.constantFrom(
      'workflow_run',
      'pull_request',
      'dependabot_alert',
      'constructor',
      '__proto__',
      'issue',
      '',
    ),
  );
  const strange = fc.record({
    preset: fc.constantFrom(...presets),
    headers,
    text: fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.object().map((value) => JSON.stringify(value) ?? ''),
    ),
  });

  it('is refused, or a message within the limits', () => {
    fc.assert(
      fc.property(fc.oneof(mutated, strange), fc.constantFrom('group', 'alert'), (sent, eventsPer) => {
        for (const preset of [sent.preset, 'auto', 'plain'] as const) {
          const readings = refusal(() => readText(sent.text, { ...sent, preset, eventsPer }));
          if (Array.isArray(readings) && typeof readings[0] === 'string') continue;
          for (const { message, dedupKey, state } of readings as Reading[]) {
            expect(check(HookMessage, message)).toEqual({ ok: true, value: message });
            expect(message.body).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
            if (dedupKey !== null) expect(dedupKey).toMatch(/^[ -~]{1,200}$/);
            if (message.bodyFormat === 'markdown')
              expect([preset, state]).not.toEqual(['alertmanager', 'firing']);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
