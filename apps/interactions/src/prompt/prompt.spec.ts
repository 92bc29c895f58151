import {
  type AnsweredStatus,
  CreateInteraction,
  type InteractionAnswered,
  type InteractionAsked,
  type InteractionCanceled,
  type InteractionEvent,
  type InteractionExpired,
  type PromptKind,
} from '@carillon/contracts';
import type { Refused } from '@carillon/eventing';
import { check } from '@carillon/schema';
import { given } from '@carillon/testkit';
import { createHash } from 'node:crypto';
import {
  answer,
  type Answering,
  ask,
  askAgain,
  type AskedPrompt,
  type PromptCreation,
  cancel,
  digestOf,
  expire,
  expiryOf,
  prompt,
  promptView,
  statusAt,
  teamFor,
  visibleTo,
} from './prompt';

const at = '2026-11-20T09:00:00.000Z';
const expiresAt = '2026-11-20T10:00:00.000Z';
const later = '2026-11-20T09:30:00.000Z';
const digest =
  'sha256:' +
  createHash('sha256')
    .update(
      '{"choices":["approve","deny"],"imageUrl":null,"kind":"approval","primaryLabel":null,' +
        '"prompt":"Ship 1.2 to production?","secondaryLabel":null,"title":"Deploy","url":null}',
    )
    .digest('hex');

const input: CreateInteraction = { title: 'Deploy', prompt: 'Ship 1.2 to production?', kind: 'approval' };
const asking: PromptCreation = {
  id: 'int_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  source: { name: 'CI', imageUrl: null },
  input,
  webhookIds: ['whk_1'],
  deviceIds: ['dev_1', 'dev_2'],
  liveActivityId: null,
  fingerprint: 'aa',
  at,
  expiresAt,
};
const asked: InteractionAsked = {
  type: 'InteractionAsked',
  interactionId: 'int_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  kind: 'approval',
  presentation: 'notification',
  title: 'Deploy',
  prompt: 'Ship 1.2 to production?',
  choices: ['approve', 'deny'],
  primaryLabel: null,
  secondaryLabel: null,
  imageUrl: null,
  url: null,
  actionDigest: digest,
  sourceName: 'CI',
  sourceImageUrl: null,
  serviceId: null,
  projectId: null,
  projectName: null,
  webhookIds: ['whk_1'],
  deviceIds: ['dev_1', 'dev_2'],
  liveActivityId: null,
  fingerprint: 'aa',
  askedAt: at,
  expiresAt,
};
const ending = {
  interactionId: 'int_1',
  accountId: 'usr_1',
  presentation: 'notification',
  liveActivityId: null,
  webhookIds: ['whk_1'],
} as const;
const approved: InteractionAnswered = {
  type: 'InteractionAnswered',
  ...ending,
  status: 'approved',
  response: 'approved',
  respondingUserId: 'usr_1',
  respondingDeviceId: 'dev_1',
  answeredAt: later,
};
const canceled: InteractionCanceled = { type: 'InteractionCanceled', ...ending, canceledAt: later };
const expired: InteractionExpired = { type: 'InteractionExpired', ...ending, expiredAt: expiresAt };

const owner = { id: 'int_1', accountId: 'usr_1' };
const asker = { ...owner, tokenId: 'tok_1' };
const answering: Answering = {
  viewer: owner,
  answer: 'approved',
  actionDigest: digest,
  deviceId: 'dev_1',
  at: later,
};

const stateOf = (...events: InteractionEvent[]): AskedPrompt =>
  events.reduce(prompt.evolve, prompt.initial) as AskedPrompt;

describe('asking', () => {
  it('stores the prompt with its devices and webhooks at that time', () =>
    given(prompt).when(ask(asking)).then(asked));
  it('does nothing the second time under the same key', () =>
    given(prompt, asked).when(ask(asking)).thenNothing());
  it('does nothing the second time when the prompt is already answered', () =>
    given(prompt, asked, approved)
      .when(askAgain({ fingerprint: 'aa' }))
      .thenNothing());
  it('is refused when the key was used for another request', () =>
    given(prompt, asked)
      .when(ask({ ...asking, fingerprint: 'bb' }))
      .thenRefused('idempotency.key_reused'));

  it.each<[PromptKind, string[] | undefined, string[]]>([
    ['approval', undefined, ['approve', 'deny']],
    ['yes_no', undefined, ['yes', 'no']],
    ['reply', undefined, []],
    ['reply', ['Later', 'Now'], ['Later', 'Now']],
  ])('a prompt of the kind %s with %j offers %j', (kind, choices, offered) => {
    const [event] = ask({ ...asking, input: { ...input, kind, ...(choices && { choices }) } })(null);
    expect(event).toMatchObject({ kind, choices: offered });
  });

  it('records the service', () => {
    const [event] = ask({
      ...asking,
      source: { name: 'Backups', imageUrl: 'https://b.test/i.png' },
      input: { ...input, serviceId: 'svc_1', projectId: 'web', projectName: 'Web shop' },
    })(null);
    expect(event).toMatchObject({
      sourceName: 'Backups',
      sourceImageUrl: 'https://b.test/i.png',
      serviceId: 'svc_1',
      projectId: 'web',
      projectName: 'Web shop',
    });
  });
});

describe('the digest of what a person sees', () => {
  const { kind, title, prompt: question, choices, primaryLabel, secondaryLabel, url, imageUrl } = asked;
  const seen = { kind, title, prompt: question, choices, primaryLabel, secondaryLabel, url, imageUrl };

  it('is that of the canonical JSON of it, with null for what is absent', () =>
    expect(digestOf(seen)).toBe(digest));
  it.each(Object.keys(seen))('changes when %s changes', (name) =>
    expect(digestOf({ ...seen, [name]: name === 'choices' ? ['deny', 'approve'] : 'other' })).not.toBe(
      digest,
    ),
  );
});

describe('when a prompt expires', () => {
  const issues = (given: Partial<CreateInteraction>): unknown => {
    try {
      return expiryOf({ ...input, ...given }, at);
    } catch (error) {
      expect((error as Refused).reason).toBe('input.invalid');
      return ((error as Refused).details['issues'] as { path: string }[]).map(({ path }) => path);
    }
  };
  it('is after an hour by default', () => expect(issues({})).toBe(expiresAt));
  it.each([
    [{ expiresInSeconds: 30 }, '2026-11-20T09:00:30.000Z'],
    [{ expiresInSeconds: 604_800 }, '2026-11-27T09:00:00.000Z'],
    [{ expiresAt: '2026-11-20T09:00:30.000Z' }, '2026-11-20T09:00:30.000Z'],
    [{ expiresAt: '2026-11-27T09:00:00.000Z' }, '2026-11-27T09:00:00.000Z'],
    [{ presentation: 'live_activity', expiresInSeconds: 28_800 }, '2026-11-20T17:00:00.000Z'],
    [{ presentation: 'live_activity', expiresAt: '2026-11-20T17:00:00.000Z' }, '2026-11-20T17:00:00.000Z'],
  ] as const)('%j is %s', (given, moment) => expect(issues(given)).toBe(moment));
  it.each([
    [{ expiresAt: '2026-11-20T09:00:29.999Z' }, ['expiresAt']],
    [{ expiresAt: '2025-11-20T09:00:00.000Z' }, ['expiresAt']],
    [{ expiresAt: '2026-11-27T09:00:00.001Z' }, ['expiresAt']],
    [{ presentation: 'live_activity', expiresInSeconds: 28_801 }, ['expiresInSeconds']],
    [{ presentation: 'live_activity', expiresAt: '2026-11-20T17:00:00.001Z' }, ['expiresAt']],
  ] as const)('%j is refused', (given, paths) => expect(issues(given)).toEqual(paths));
});

describe('a request that contradicts itself is refused', () => {
  it.each<[string, Partial<CreateInteraction>]>([
    ['choices', { choices: ['a'] }],
    ['choices', { kind: 'yes_no', choices: [] }],
    ['primaryLabel', { kind: 'reply', primaryLabel: 'Send' }],
    ['secondaryLabel', { kind: 'reply', secondaryLabel: 'No' }],
    ['expiresAt', { expiresInSeconds: 60, expiresAt }],
    ['deviceGroupId', { deviceIds: ['dev_1'], deviceGroupId: 'dgr_1' }],
  ])('%s in %j', (path, more) => {
    expect(check(CreateInteraction, { ...input, ...more })).toMatchObject({ ok: false, issues: [{ path }] });
  });
  it('and a consistent one is accepted', () => {
    for (const more of [
      { primaryLabel: 'Ship', secondaryLabel: 'Wait', deviceIds: ['dev_1'] },
      { kind: 'reply', choices: ['a'], expiresAt },
    ])
      expect(check(CreateInteraction, { ...input, ...more })).toMatchObject({ ok: true });
  });
});

describe('answering', () => {
  it('ends it', () => given(prompt, asked).when(answer(answering)).then(approved));
  it('is refused the second time', () =>
    given(prompt, asked, approved)
      .when(answer(answering))
      .thenRefused('interaction.not_pending', { status: 'approved' }));
  it('is refused once the prompt was canceled', () =>
    given(prompt, asked, canceled)
      .when(answer(answering))
      .thenRefused('interaction.not_pending', { status: 'canceled' }));
  it('is refused once it has expired', () =>
    given(prompt, asked, expired)
      .when(answer(answering))
      .thenRefused('interaction.not_pending', { status: 'expired' }));
  it('is refused from the expiry time on, even when the expiry is not recorded', () =>
    given(prompt, asked)
      .when(answer({ ...answering, at: expiresAt }))
      .thenRefused('interaction.not_pending', { status: 'expired' }));
  it('is accepted until then', () =>
    given(prompt, asked)
      .when(answer({ ...answering, at: '2026-11-20T09:59:59.999Z' }))
      .then({ ...approved, answeredAt: '2026-11-20T09:59:59.999Z' }));
  it('is refused when the person saw something else', () =>
    given(prompt, asked)
      .when(answer({ ...answering, actionDigest: `${digest.slice(0, -1)}x` }))
      .thenRefused('interaction.digest_mismatch'));
  it('needs no device', () =>
    given(prompt, asked)
      .when(answer({ ...answering, deviceId: null }))
      .then({ ...approved, respondingDeviceId: null }));
  it.each([
    { ...owner, id: 'int_2' },
    { ...owner, accountId: 'usr_2' },
  ])('is refused to a viewer that may not see it: %j', (viewer) =>
    given(prompt, asked)
      .when(answer({ ...answering, viewer }))
      .thenRefused('interaction.not_found'),
  );
  it('of a prompt that was never asked is refused', () =>
    given(prompt).when(answer(answering)).thenRefused('interaction.not_found'));

  const fits: Record<PromptKind, Record<string, AnsweredStatus>> = {
    approval: { approved: 'approved', denied: 'denied' },
    yes_no: { yes: 'yes', no: 'no' },
    reply: { 'Now, please': 'replied', Later: 'replied', approved: 'replied' },
  };
  describe.each(Object.keys(fits) as PromptKind[])('a prompt of the kind %s', (kind) => {
    const question = { ...asked, kind, choices: kind === 'reply' ? ['Later', 'Now'] : asked.choices };
    it.each(Object.entries(fits[kind]))('accepts "%s" as %s', (text, status) =>
      given(prompt, question)
        .when(answer({ ...answering, answer: text }))
        .then({ ...approved, status, response: text }),
    );
    if (kind !== 'reply')
      it.each(['approve', 'deny', 'Yes', '', 'maybe', kind === 'approval' ? 'yes' : 'approved'])(
        'does not take "%s"',
        (text) =>
          given(prompt, question)
            .when(answer({ ...answering, answer: text }))
            .thenRefused('interaction.answer_not_allowed'),
      );
  });
});

describe('canceling', () => {
  const byAsker = cancel({ viewer: asker, at: later });
  it('ends it', () => given(prompt, asked).when(byAsker).then(canceled));
  it('may be done by the owner of the account too', () =>
    given(prompt, asked)
      .when(cancel({ viewer: owner, at: later }))
      .then(canceled));
  it('does nothing the second time', () =>
    given(prompt, asked, canceled)
      .when(cancel({ viewer: asker, at: '2026-11-20T11:00:00.000Z' }))
      .thenNothing());
  it('is refused once it is answered', () =>
    given(prompt, asked, approved)
      .when(byAsker)
      .thenRefused('interaction.not_pending', { status: 'approved' }));
  it('is refused once it has expired', () =>
    given(prompt, asked, expired)
      .when(byAsker)
      .thenRefused('interaction.not_pending', { status: 'expired' }));
  it('is refused from the moment on at which it expires', () =>
    given(prompt, asked)
      .when(cancel({ viewer: asker, at: expiresAt }))
      .thenRefused('interaction.not_pending', { status: 'expired' }));
  it('is refused to another token', () =>
    given(prompt, asked)
      .when(cancel({ viewer: { ...owner, tokenId: 'tok_2' }, at: later }))
      .thenRefused('interaction.not_found'));
});

describe('a prompt that was sent to a group', () => {
  const toGroup = { ...asked, recipients: ['usr_2'] };
  const recipient = { id: 'int_1', accountId: 'usr_2' };
  const byRecipient: Answering = { ...answering, viewer: recipient, deviceId: 'dev_2' };
  const answered: InteractionAnswered = {
    ...approved,
    recipients: ['usr_2'],
    respondingUserId: 'usr_2',
    respondingDeviceId: 'dev_2',
  };

  it('says so', () =>
    given(prompt)
      .when(ask({ ...asking, recipients: ['usr_2'] }))
      .then(toGroup));
  it('is ended by the answer of any recipient', () =>
    given(prompt, toGroup).when(answer(byRecipient)).then(answered));
  it('takes the first answer only', () =>
    given(prompt, toGroup, answered)
      .when(answer(answering))
      .thenRefused('interaction.not_pending', { status: 'approved' }));
  it('may still be answered by the asking account', () =>
    given(prompt, toGroup)
      .when(answer(answering))
      .then({ ...approved, recipients: ['usr_2'] }));
  it('is not seen by an agent of a recipient', () =>
    given(prompt, toGroup)
      .when(answer({ ...byRecipient, viewer: { ...recipient, tokenId: 'tok_2' } }))
      .thenRefused('interaction.not_found'));
  it('can be canceled only by the asking account', () => {
    given(prompt, toGroup)
      .when(cancel({ viewer: recipient, at: later }))
      .thenRefused('interaction.not_asker');
    given(prompt, toGroup)
      .when(cancel({ viewer: asker, at: later }))
      .then({ ...canceled, recipients: ['usr_2'] });
  });
  it('expires for all recipients', () =>
    given(prompt, toGroup)
      .when(expire({ at: expiresAt }))
      .then({ ...expired, recipients: ['usr_2'] }));
});

describe('expiring', () => {
  it('ends the prompt as of its expiry time, however late it is recorded', () =>
    given(prompt, asked)
      .when(expire({ at: '2026-11-21T00:00:00.000Z' }))
      .then(expired));
  it('ends it at that very moment', () =>
    given(prompt, asked)
      .when(expire({ at: expiresAt }))
      .then(expired));
  it('does nothing before', () =>
    given(prompt, asked)
      .when(expire({ at: '2026-11-20T09:59:59.999Z' }))
      .thenNothing());
  it.each([['the second time', expired] as const, ['once it is answered', approved] as const])(
    'does nothing %s',
    (_, end) =>
      given(prompt, asked, end)
        .when(expire({ at: expiresAt }))
        .thenNothing(),
  );
  it('does nothing once the prompt was canceled', () =>
    given(prompt, asked, canceled)
      .when(expire({ at: expiresAt }))
      .thenNothing());
  it('does nothing to a prompt that was never asked', () =>
    given(prompt)
      .when(expire({ at: expiresAt }))
      .thenNothing());
});

describe('a prompt', () => {
  it.each<[string, InteractionEvent[], string]>([
    ['is pending until it expires', [asked], 'pending'],
    ['is what it was answered with', [asked, approved], 'approved'],
    ['is canceled', [asked, canceled], 'canceled'],
    ['is expired', [asked, expired], 'expired'],
  ])('%s', (_, events, status) => expect(statusAt(stateOf(...events), later)).toBe(status));
  it('is expired from its expiry time on, whether or not it is recorded', () => {
    expect(statusAt(stateOf(asked), expiresAt)).toBe('expired');
    expect(statusAt(stateOf(asked, approved), expiresAt)).toBe('approved');
  });

  it('is shown with all its fields', () =>
    expect(promptView(stateOf(asked), 2, later)).toEqual({
      id: 'int_1',
      title: 'Deploy',
      prompt: 'Ship 1.2 to production?',
      kind: 'approval',
      presentation: 'notification',
      status: 'pending',
      choices: ['approve', 'deny'],
      response: null,
      imageUrl: null,
      url: null,
      actionDigest: digest,
      primaryLabel: null,
      secondaryLabel: null,
      accepted: 2,
      respondingDeviceId: null,
      respondingUserId: null,
      expiresAt,
      createdAt: at,
      respondedAt: null,
      canceledAt: null,
    }));
  it.each<[InteractionEvent, object]>([
    [
      approved,
      {
        status: 'approved',
        response: 'approved',
        respondingUserId: 'usr_1',
        respondingDeviceId: 'dev_1',
        respondedAt: later,
        canceledAt: null,
      },
    ],
    [canceled, { status: 'canceled', response: null, respondedAt: null, canceledAt: later }],
    [expired, { status: 'expired', response: null, respondedAt: null, canceledAt: null }],
  ])('is shown with its end', (end, fields) =>
    expect(promptView(stateOf(asked, end), 0, later)).toMatchObject(fields),
  );

  it('is visible to its asking token and the owner of the account only', () => {
    const state = stateOf(asked);
    expect(visibleTo(state, asker)).toBe(state);
    expect(visibleTo(state, owner)).toBe(state);
    for (const viewer of [
      { ...asker, tokenId: 'tok_2' },
      { ...asker, tokenId: '' },
      { ...owner, accountId: 'usr_2' },
      { ...owner, accountId: '' },
      { ...owner, id: 'int_2' },
    ])
      expect(() => visibleTo(state, viewer)).toThrow('interaction.not_found');
    expect(() => visibleTo(null, owner)).toThrow('interaction.not_found');
  });
  it('requires membership in the team of its device group, except for the asking account', () => {
    const [event] = ask({ ...asking, recipients: ['usr_2'], teamId: 'team_1' })(null);
    const state = prompt.evolve(null, event!) as AskedPrompt;
    expect(teamFor(state, 'usr_2')).toBe('team_1');
    expect(teamFor(state, 'usr_1')).toBeUndefined();
    expect(teamFor({ accountId: 'usr_1' }, 'usr_2')).toBeUndefined();
  });
});
