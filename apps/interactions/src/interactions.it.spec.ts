import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { answer, type Answer, type Bus, type Context, Handles } from '@carillon/bus';
import {
  AccountById,
  Accounts,
  Activities,
  type ActivityPushed,
  AdmitPrompt,
  type AdmittedPrompt,
  type AgentService,
  AudienceOf,
  type Contract,
  type CreateInteraction,
  type DeliveryOutcome,
  DeliveryOf,
  DeviceById,
  FindReplyTargets,
  FindTargets,
  type GroupAudience,
  type InteractionEvent,
  Interactions,
  Push,
  ReachOf,
  type ReplyTargets,
  ServiceById,
  Services,
  type TeamMembership,
  MembershipOf,
  type OwnedDevice,
  OwnersOf,
  type Person as AccountPerson,
  Teams,
  Webhooks,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decider, type DomainEvent, plus, Refused } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  contextOf,
  eventually,
  indexesOf,
  interactionAsked,
  poison,
  pushReported,
  rejoin,
  rowsReach,
  setAside,
  type StandIns,
  startParts,
  startStandIns,
  streamMetadata,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { InteractionsModule } from './interactions.module';
import { ForgottenPrompts } from './pending/forgotten-prompts.worker';
import { promptOrder } from './pending/pending.handlers';
import { prompt } from './prompt/prompt';

const phones = new Map<string, string[]>();
const removed = new Set<string>();
/** Accounts of which nothing is told, and why. */
const refusals = new Map<string, string>();
const capable = 'dev_capable';
let admitted: { input: AdmitPrompt; accountId: string }[] = [];
let replyTargetsAsked: FindReplyTargets[] = [];

/** Replaces push, notifications, webhooks and activities. */
@Controller()
class Neighbours {
  @Handles(Push.targets)
  targets(_: FindTargets, { caller }: Context): Answer<{ deviceIds: string[] }> {
    return answer({ deviceIds: phones.get(caller.accountId) ?? [] });
  }

  @Handles(Push.device)
  device({ id }: DeviceById): Answer<{ deviceId: string }> {
    return answer({ deviceId: id });
  }

  @Handles(Push.owners)
  owners({ deviceIds }: OwnersOf): Answer<{ devices: OwnedDevice[] }> {
    const devices = deviceIds.filter((id) => !removed.has(id));
    return answer({
      devices: devices.map((deviceId) => ({ deviceId, accountId: '', removals: 0, deviceName: 'Pixel' })),
    });
  }

  @Handles(Accounts.person)
  person({ accountId: id }: AccountById): Answer<AccountPerson> {
    const refusal = refusals.get(id);
    if (refusal) throw new Refused(refusal);
    return answer({ id, name: 'Ana', email: 'ana@example.test', emailVerified: true });
  }

  @Handles(Push.outcome)
  outcome(_: DeliveryOf): Answer<DeliveryOutcome> {
    return answer({ accepted: 1, targets: 2, final: true, reported: 1 });
  }

  @Handles(Services.get)
  service({ id }: ServiceById): Answer<{ service: AgentService }> {
    if (id === 'svc_gone') throw new Refused('service.unknown');
    return answer({
      service: {
        id,
        title: 'CI',
        imageUrl: null,
        url: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
        familyId: null,
        preset: 'plain',
        eventsPer: 'group',
        oncallGroupId: null,
        oncallFrom: 'info',
        oncallGroupGone: false,
        expectEverySeconds: null,
        graceSeconds: 0,
        hasSenderSecret: false,
        defaultReplyWebhookId: id === 'svc_bare' ? null : 'whk_service',
      },
    });
  }

  @Handles(Webhooks.targets)
  replyTargets(asked: FindReplyTargets): Answer<ReplyTargets> {
    replyTargetsAsked.push(asked);
    if (asked.webhookId === 'whk_gone') throw new Refused('webhook.not_found');
    const chosen = asked.webhookId ?? asked.serviceDefaultId;
    return answer({ webhookIds: ['whk_default', ...(chosen ? [chosen] : [])] });
  }

  @Handles(Activities.admit)
  admit(input: AdmitPrompt, { caller }: Context): Answer<AdmittedPrompt> {
    if (input.deviceIds?.includes('dev_full'))
      throw new Refused('activity.capacity_exceeded', { limit: 5, deviceIds: ['dev_full'] });
    if (input.deviceGroupId) throw new Refused('device_group.not_found');
    if (input.deviceIds?.includes('dev_old')) throw new Refused('activity.no_eligible_devices');
    admitted.push({ input, accountId: caller.accountId });
    return answer({ activityId: activityOf(input.prompt.id), deviceIds: [capable], queued: 1 });
  }
}

/** Replaces teams and device groups: one team, and a group of all its members, also former ones. */
@Controller()
class Team {
  static readonly teamId = newId('team', 1);
  static everybody: string[] = [];
  static left: string[] = [];

  @Handles(Teams.audience)
  audience(_: AudienceOf): Answer<GroupAudience> {
    return answer({ teamId: Team.teamId, accountIds: Team.everybody, deviceIds: [], ownerIds: [] });
  }

  @Handles(Push.reach)
  reach(_: ReachOf): Answer<{ devices: [] }> {
    return answer({ devices: [] });
  }

  @Handles(Teams.membership)
  membership({ teamId, accountId }: MembershipOf): Answer<TeamMembership> {
    if (teamId !== Team.teamId || Team.left.includes('all')) throw new Refused('team.unknown');
    const role = Team.left.includes(accountId) ? null : 'member';
    return answer({ kind: 'team', name: 'Operations', role, memberIds: [], joins: {} });
  }
}

const activityOf = (interactionId: string): string => interactionId.replace('int_', 'act_');

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbours: StandIns;
let running: RunningService;
let bus: Bus;
let clock: ManualClock;

const start = async (): Promise<void> => {
  running = await startService({ name: 'interactions', module: InteractionsModule });
  clock = running.get(Clock) as ManualClock;
};
beforeAll(async () => {
  parts = await startParts();
  neighbours = await startStandIns(parts.env['NATS_URL'] as string, Neighbours);
  bus = await sharedBus.take();
  await start();
}, 60_000);
beforeEach(() => {
  admitted = [];
  replyTargetsAsked = [];
});
afterAll(async () => {
  await running?.close();
  await neighbours?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

class Person {
  readonly accountId = newId('usr', Date.now());
  readonly tokenId = newId('tok', Date.now());

  async asking<Input, Output>(
    contract: Contract<Input, Output>,
    input: Input,
    more: Partial<Context> = {},
  ): Promise<Answer<Output>> {
    return bus.ask(contract, input, {
      ...contextOf(this.accountId, { caller: { tokenId: this.tokenId, tokenName: 'Agent' } }),
      ...more,
    });
  }

  async ask(more: Partial<CreateInteraction> = {}, context: Partial<Context> = {}) {
    return (await this.asking(Interactions.ask, { ...deploy, ...more }, context)).value;
  }

  /** As the person, not as the agent. */
  async inPerson<Input, Output>(contract: Contract<Input, Output>, input: Input): Promise<Output> {
    return (await this.asking(contract, input, { caller: { accountId: this.accountId } })).value;
  }

  answer({ id, actionDigest }: { id: string; actionDigest: string }, given = 'approved') {
    return this.inPerson(Interactions.answer, { id, answer: given, actionDigest });
  }

  /** Waits until the list has all events of the log. */
  async list() {
    await settled();
    return (await this.inPerson(Interactions.list, {})).items;
  }
}

const deploy = { title: 'Deploy', prompt: 'A secret question', kind: 'approval' } as const;
const refusal = async (asked: Promise<unknown>): Promise<Refused> => {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Refused);
  return error as Refused;
};
const eventsOf = async (id: string): Promise<InteractionEvent[]> => {
  const log = running.get(Log);
  const raw = await log.store.read(`interaction-${streamTail(id)}`);
  return (await log.open(raw)).map(({ event }) => event as InteractionEvent);
};
const typesOf = async (id: string): Promise<string[]> => (await eventsOf(id)).map(({ type }) => type);
const until = <T>(look: () => Promise<T | undefined | false>, missing: string): Promise<T> =>
  eventually(
    async () => (await look()) || undefined,
    () => missing,
    20_000,
  );
const ended = (id: string, type: string): Promise<true> =>
  until(async () => (await typesOf(id)).includes(type) || undefined, `${id} has no ${type}`);
const timers = async (): Promise<string[]> =>
  (await running.get(Database).query<{ key: string }>(`SELECT key FROM timers`)).map(({ key }) => key);
const hasTimer = (id: string) => until(async () => (await timers()).includes(id), `${id} has no timer`);
const hasNoTimer = (id: string) => until(async () => !(await timers()).includes(id), `${id} has a timer`);

/** Checks that every row and timer matches the log. */
const settled = async (): Promise<void> => {
  const head = String(await running.get(Log).store.head());
  for (const name of ['prompts', 'expiry']) await rowsReach(running.get(Projections), name, head);
};

/** Appends the events of other services to the log. */
const put = async (stream: string, event: DomainEvent, accountId: string): Promise<string> => {
  const [category, ...tail] = stream.split('-') as [string, ...string[]];
  const decider: Decider<null, DomainEvent> = { category, initial: null, evolve: () => null, personal: {} };
  const { position } = await running
    .get(Log)
    .appendTo(decider, tail.join('-'), [event], 'any', streamMetadata(accountId, { process: 'test' }));
  return String(position);
};
const reported = (person: Person, subjectId: string, accepted: number, final: boolean) =>
  put(
    `delivery-${subjectId}`,
    pushReported({ subjectId, accountId: person.accountId, accepted, final, reportedAt: clock.now() }),
    person.accountId,
  );
const pushed = (person: Person, activityId: string, deviceId: string, more: Partial<ActivityPushed> = {}) =>
  put(
    `lane-${streamTail(activityId)}${deviceId}`,
    {
      type: 'ActivityPushed',
      activityId,
      deviceId,
      accountId: person.accountId,
      operation: 'start',
      sequence: 1,
      outcome: 'accepted',
      errorCode: null,
      pushedAt: clock.now(),
      ...more,
    } as ActivityPushed,
    person.accountId,
  );

describe('a prompt', () => {
  it('keeps its text sealed in the log', async () => {
    const person = new Person();
    const { interaction } = await person.ask({
      kind: 'reply',
      choices: ['A secret choice'],
      projectName: 'A secret project',
    });
    await person.answer(interaction, 'A secret answer');
    const raw = await running.get(Log).store.read(`interaction-${streamTail(interaction.id)}`);
    expect(raw).toHaveLength(2);
    expect(JSON.stringify(raw.map(({ data }) => data))).not.toMatch(/secret|Deploy/);
    expect(await eventsOf(interaction.id)).toMatchObject([
      { prompt: 'A secret question', choices: ['A secret choice'], sourceName: 'Agent' },
      { response: 'A secret answer' },
    ]);
  });

  it('fixes the webhooks for its end: the requested one, else the service’s, and the default', async () => {
    const person = new Person();
    const webhooksOf = async (more: Partial<CreateInteraction>) =>
      (await eventsOf((await person.ask(more)).interaction.id))[0]!.webhookIds;
    expect(await webhooksOf({})).toEqual(['whk_default']);
    expect(await webhooksOf({ webhookId: 'whk_1' })).toEqual(['whk_default', 'whk_1']);
    expect(await webhooksOf({ serviceId: 'svc_1' })).toEqual(['whk_default', 'whk_service']);
    expect(await webhooksOf({ serviceId: 'svc_bare' })).toEqual(['whk_default']);
    expect(await webhooksOf({ serviceId: 'svc_1', webhookId: 'whk_1' })).toEqual(['whk_default', 'whk_1']);
    expect(replyTargetsAsked).toEqual([
      {},
      { webhookId: 'whk_1' },
      { serviceDefaultId: 'whk_service' },
      {},
      { webhookId: 'whk_1', serviceDefaultId: 'whk_service' },
    ]);
    const [asked] = await eventsOf((await person.ask({ webhookId: 'whk_1' })).interaction.id);
    expect((await refusal(person.ask({ webhookId: 'whk_gone' }))).reason).toBe('webhook.not_found');
    expect((await refusal(person.ask({ serviceId: 'svc_gone' }))).reason).toBe('service.not_found');
    expect((await person.list()).at(0)?.id).toBe((asked as { interactionId: string }).interactionId);
  });

  it('is not asked of a group while the service that knows its members is unavailable', async () => {
    const person = new Person();
    const idempotency = { key: 'group', fingerprint: 'aa' };
    const unanswered = refusal(person.ask({ deviceGroupId: newId('dgr', 1) }, { idempotency }));
    expect((await unanswered).reason).toBe('bus.no_responders');
    expect(await person.list()).toEqual([]);
    // The key is free, so the request succeeds now.
    expect(await person.ask({}, { idempotency })).not.toHaveProperty('idempotent');
  });

  it('wakes waiting requests when it ends, and repeats its webhooks', async () => {
    const person = new Person();
    const heard: string[] = [];
    const stop = bus.onSignal('interaction.ended', (id) => heard.push(id));
    await bus.alive();
    const [one, other] = [await person.ask({ webhookId: 'whk_1' }), await person.ask()];
    await person.answer(one.interaction);
    await person.inPerson(Interactions.cancel, { id: other.interaction.id });
    await person.inPerson(Interactions.cancel, { id: other.interaction.id });
    await until(async () => heard.length >= 2, 'nobody was woken');
    expect(heard).toEqual([one.interaction.id, other.interaction.id]);
    stop();
    expect(await eventsOf(one.interaction.id)).toMatchObject([
      {},
      {
        type: 'InteractionAnswered',
        interactionId: one.interaction.id,
        accountId: person.accountId,
        presentation: 'notification',
        liveActivityId: null,
        webhookIds: ['whk_default', 'whk_1'],
      },
    ]);
  });

  it('tells a gateway which of its awaited prompts have ended', async () => {
    const person = new Person();
    const made = [await person.ask(), await person.ask(), await person.ask()];
    const ids = made.map(({ interaction }) => interaction.id);
    await person.answer(made[1]!.interaction);
    await until(
      async () => (await person.inPerson(Interactions.endedAmong, { ids })).ids.length > 0,
      'it is not told',
    );
    expect(await person.inPerson(Interactions.endedAmong, { ids })).toEqual({ ids: [ids[1]] });
  });
});

describe('a prompt of a device group', () => {
  let team: StandIns;
  beforeEach(async () => {
    Team.left = [];
    team = await startStandIns(parts.env['NATS_URL'] as string, Team);
  });
  afterEach(() => team.close());

  const asked = async () => {
    const [asker, member] = [new Person(), new Person()];
    Team.everybody = [asker.accountId, member.accountId];
    const { interaction } = await asker.ask({ deviceGroupId: newId('dgr', 1) });
    return { asker, member, interaction, id: interaction.id };
  };
  const pendingOf = async (person: Person) =>
    (await person.asking(Interactions.pending, {})).value.items.map(({ id }) => id);

  it('is read and answered by a member', async () => {
    const { member, interaction, id } = await asked();
    expect(await eventsOf(id)).toMatchObject([{ teamId: Team.teamId, recipients: [member.accountId] }]);
    expect(await member.list()).toMatchObject([{ id }]);
    expect((await member.inPerson(Interactions.show, { id })).interaction.id).toBe(id);
    await member.answer(interaction);
    expect(await eventsOf(id)).toMatchObject([{}, { respondingUserId: member.accountId }]);
  });

  it('says to both who answered it and on which device, as long as these are there', async () => {
    const { asker, member, interaction, id } = await asked();
    const names = async (person: Person) => {
      const { interaction: one } = await person.inPerson(Interactions.show, { id });
      const [listed] = await person.list();
      for (const seen of [one, listed])
        expect(seen).toMatchObject({ respondingUserId: one.respondingUserId });
      expect(listed).toMatchObject({ respondingUserName: one.respondingUserName });
      expect(listed).toMatchObject({ respondingDeviceName: one.respondingDeviceName });
      return [one.respondingUserName, one.respondingDeviceName];
    };
    expect(await names(asker)).toEqual([null, null]);
    const deviceId = newId('dev', 1);
    const { actionDigest } = interaction;
    const answered = await member.inPerson(Interactions.answer, {
      ...{ id, answer: 'approved', actionDigest, deviceId },
    });
    expect(answered.interaction).toMatchObject({ respondingUserName: 'Ana', respondingDeviceName: 'Pixel' });
    for (const person of [asker, member]) expect(await names(person)).toEqual(['Ana', 'Pixel']);
    for (const refusal of ['account.suspended', 'account.not_found']) {
      refusals.set(member.accountId, refusal);
      expect(await names(asker)).toEqual([null, 'Pixel']);
    }
    removed.add(deviceId);
    expect(await names(asker)).toEqual([null, null]);
  });

  it('is ended by a person though nobody can say their name, and by an agent without names', async () => {
    const { member, interaction, id } = await asked();
    refusals.set(member.accountId, 'projection.behind');
    const { actionDigest } = interaction;
    const answered = await member.inPerson(Interactions.answer, { id, answer: 'approved', actionDigest });
    refusals.delete(member.accountId);
    expect(answered.interaction).toMatchObject({ status: 'approved', respondingUserId: member.accountId });
    expect(answered.interaction).not.toHaveProperty('respondingUserName');

    const { asker, id: other } = await asked();
    const canceled = (await asker.asking(Interactions.cancel, { id: other })).value.interaction;
    expect(canceled).toMatchObject({ status: 'canceled', respondingUserId: null });
    expect(canceled).not.toHaveProperty('respondingUserName');
    const { asker: person, id: third } = await asked();
    expect((await person.inPerson(Interactions.cancel, { id: third })).interaction).toMatchObject({
      ...{ status: 'canceled', respondingUserName: null, respondingDeviceName: null },
    });
  });

  it.each([
    ['left', (member: Person) => (Team.left = [member.accountId])],
    ['lost the team, which was deleted', () => (Team.left = ['all'])],
  ])('is not visible any more to an account that has %s', async (_, leave) => {
    const { asker, member, interaction, id } = await asked();
    expect(await member.list()).toMatchObject([{ id }]);
    leave(member);
    expect(await member.list()).toEqual([]);
    expect(await pendingOf(member)).toEqual([]);
    for (const refused of [
      member.inPerson(Interactions.show, { id }),
      member.inPerson(Interactions.cancel, { id }),
      member.answer(interaction),
    ])
      expect((await refusal(refused)).reason).toBe('interaction.not_found');
    expect(await typesOf(id)).toEqual(['InteractionAsked']);
    // The asking account keeps access.
    Team.left.push(asker.accountId);
    expect(await pendingOf(asker)).toEqual([id]);
    expect((await asker.ask()).interaction.status).toBe('pending');
    await asker.answer(interaction);
  });

  it('waits while the service that knows its members is unavailable', async () => {
    const { asker, member, interaction, id } = await asked();
    expect(await member.list()).toMatchObject([{ id }]);
    await team.close();
    for (const unanswered of [
      member.inPerson(Interactions.list, {}),
      member.inPerson(Interactions.show, { id }),
      member.answer(interaction),
    ])
      expect((await refusal(unanswered)).reason).toBe('bus.no_responders');
    expect(await typesOf(id)).toEqual(['InteractionAsked']);
    expect((await asker.inPerson(Interactions.show, { id })).interaction.status).toBe('pending');
    team = await startStandIns(parts.env['NATS_URL'] as string, Team);
    await member.answer(interaction);
  });
});

describe('the count of accepting devices', () => {
  it('is the count of the first answer, and later that of push’s report', async () => {
    const person = new Person();
    phones.set(person.accountId, ['dev_1', 'dev_2']);
    const asking = person.asking(Interactions.ask, deploy);
    const { id } = await until(async () => (await person.list()).at(0), 'it is not listed');
    const interim = await reported(person, id, 1, false);
    bus.signal('delivery.settled', id, { accepted: 1, final: false, position: interim });
    const { value, position } = await asking;
    expect(value).toMatchObject({ accepted: 1, interaction: { accepted: 1 } });
    // A read after the answer shows at least the count of the answer.
    const get = async (after: string) =>
      (await person.asking(Interactions.get, { id }, { after })).value.interaction.accepted;
    expect(await get(position!)).toBe(1);
    expect(await get(await reported(person, id, 2, true))).toBe(2);
    expect(await person.list()).toMatchObject([{ id, accepted: 2 }]);
    expect((await person.answer(value.interaction)).interaction).toMatchObject({ accepted: 2 });
  });

  it('of a live activity is the count of devices whose start was accepted', async () => {
    const person = new Person();
    const { interaction, liveActivityId } = await person.ask({ presentation: 'live_activity' });
    const at = async (position: string) =>
      (await person.asking(Interactions.get, { id: interaction.id }, { after: position })).value.interaction
        .accepted;
    expect(await at(await pushed(person, liveActivityId!, 'dev_1', { outcome: 'failed' }))).toBe(0);
    expect(await at(await pushed(person, liveActivityId!, 'dev_1'))).toBe(1);
    expect(await at(await pushed(person, liveActivityId!, 'dev_1'))).toBe(1);
    expect(await at(await pushed(person, liveActivityId!, 'dev_2', { operation: 'update' }))).toBe(1);
    expect(await at(await pushed(person, liveActivityId!, 'dev_2'))).toBe(2);
    expect(await at(await pushed(person, newId('act', 0), 'dev_3'))).toBe(2);
  });
});

describe('a prompt that is presented as a live activity', () => {
  const live = { presentation: 'live_activity', primaryLabel: 'Ship', url: 'https://ci.test/' } as const;

  it('reserves capacity first, is answered at once, and can be answered by a person', async () => {
    const person = new Person();
    phones.set(person.accountId, ['dev_1', 'dev_2']);
    const { interaction, ...rest } = await person.ask({ ...live, deviceIds: ['dev_1'] });
    const liveActivityId = activityOf(interaction.id);
    expect(rest).toEqual({ accepted: 0, queued: 1, liveActivityId });
    expect(interaction).toMatchObject({ presentation: 'live_activity', status: 'pending', accepted: 0 });
    expect(admitted).toEqual([
      {
        accountId: person.accountId,
        input: {
          prompt: {
            id: interaction.id,
            kind: 'approval',
            primaryLabel: 'Ship',
            secondaryLabel: null,
            actionDigest: interaction.actionDigest,
          },
          title: deploy.title,
          text: deploy.prompt,
          url: live.url,
          sourceName: 'Agent',
          expiresAt: interaction.expiresAt,
          deviceIds: ['dev_1'],
        },
      },
    ]);
    expect(await eventsOf(interaction.id)).toMatchObject([{ liveActivityId, deviceIds: [capable] }]);
    await person.answer(interaction);
    expect(await eventsOf(interaction.id)).toMatchObject([
      {},
      { type: 'InteractionAnswered', presentation: 'live_activity', liveActivityId },
    ]);
  });

  it('is not asked without capacity or a device for it', async () => {
    const person = new Person();
    const full = await refusal(person.ask({ ...live, deviceIds: ['dev_full'] }));
    expect(full).toMatchObject({
      reason: 'activity.capacity_exceeded',
      details: { limit: 5, deviceIds: ['dev_full'] },
    });
    expect((await refusal(person.ask({ ...live, deviceIds: ['dev_old'] }))).reason).toBe(
      'activity.no_eligible_devices',
    );
    expect(await person.list()).toEqual([]);
  });

  it('reserves no capacity for a request that is refused anyway', async () => {
    const person = new Person();
    await refusal(person.ask({ ...live, expiresInSeconds: 28_801 }));
    await refusal(person.ask({ ...live, webhookId: 'whk_gone' }));
    await refusal(person.ask({ ...live, deviceGroupId: 'dgr_1' }));
    await refusal(person.ask({ ...live, kind: 'reply' }));
    expect(admitted).toEqual([]);
  });

  it('reserves capacity once under one key', async () => {
    const person = new Person();
    const idempotency = { key: 'live', fingerprint: 'aa' };
    const first = await person.ask(live, { idempotency });
    expect(await person.ask(live, { idempotency })).toEqual({ ...first, idempotent: true });
    expect(admitted).toHaveLength(1);
    const other = refusal(person.ask(live, { idempotency: { ...idempotency, fingerprint: 'bb' } }));
    expect((await other).reason).toBe('idempotency.key_reused');
    expect(admitted).toHaveLength(1);
  });
});

describe('an expiry', () => {
  it('happens on time, once, and clears its timer', async () => {
    const person = new Person();
    const { interaction } = await person.ask({ expiresInSeconds: 30 });
    await hasTimer(interaction.id);
    await clock.advance(15_000);
    expect(await typesOf(interaction.id)).toEqual(['InteractionAsked']);
    await clock.advance(15_000);
    expect(await typesOf(interaction.id)).toEqual(['InteractionAsked', 'InteractionExpired']);
    expect(await eventsOf(interaction.id)).toMatchObject([{}, { expiredAt: interaction.expiresAt }]);
    await clock.advance(60_000);
    expect(await typesOf(interaction.id)).toHaveLength(2);
    await hasNoTimer(interaction.id);
  });

  it('wakes waiting requests', async () => {
    const person = new Person();
    const heard: string[] = [];
    const stop = bus.onSignal('interaction.ended', (id) => heard.push(id));
    const { interaction } = await person.ask({ expiresInSeconds: 30 });
    await hasTimer(interaction.id);
    await clock.advance(30_000);
    await until(async () => heard.includes(interaction.id), 'nobody was woken');
    stop();
  });

  it.each(['approved', 'canceled'])('does not happen to a prompt that was %s', async (how) => {
    const person = new Person();
    const { interaction } = await person.ask({ expiresInSeconds: 30 });
    await hasTimer(interaction.id);
    if (how === 'approved') await person.answer(interaction);
    else await person.inPerson(Interactions.cancel, { id: interaction.id });
    await hasNoTimer(interaction.id);
    await clock.advance(31_000);
    expect(await typesOf(interaction.id)).not.toContain('InteractionExpired');
  });

  it('that is issued again, as after a crash, changes nothing', async () => {
    const person = new Person();
    const made = [await person.ask({ expiresInSeconds: 30 }), await person.ask({ expiresInSeconds: 30 })];
    const [expired, answered] = made.map(({ interaction }) => interaction) as [
      { id: string },
      (typeof made)[0]['interaction'],
    ];
    await person.answer(answered);
    await settled();
    await clock.advance(31_000);
    const before = [await typesOf(expired.id), await typesOf(answered.id)];
    expect(before).toEqual([
      ['InteractionAsked', 'InteractionExpired'],
      ['InteractionAsked', 'InteractionAnswered'],
    ]);
    const cause = { cause: randomUUID(), correlationId: 'asked' };
    for (const { id } of [expired, answered]) {
      await hasNoTimer(id);
      await running.get(Database).query(
        `INSERT INTO timers (queue, key, due_at, command, owner, owned_until, attempts)
         VALUES ('expiry', $1, $2, $3, 1, now() + interval '1 hour', 1)`,
        [id, clock.now(), JSON.stringify({ interactionId: id, accountId: person.accountId, ...cause })],
      );
    }
    await clock.advance(1_000);
    for (const { id } of [expired, answered]) await hasNoTimer(id);
    expect([await typesOf(expired.id), await typesOf(answered.id)]).toEqual(before);
  });

  it('of an account that is set aside comes late, and those of others in time', async () => {
    const projections = running.get(Projections);
    const [person, other] = [new Person(), new Person()];
    const put = await person.ask({ expiresInSeconds: 30 });
    await hasTimer(put.interaction.id);
    const heal = await poison(running.get(Database), {
      table: 'timers',
      column: 'key',
      value: put.interaction.id,
    });
    await person.answer(put.interaction);
    await setAside(projections, 'expiry');
    const { interaction } = await person.ask({ expiresInSeconds: 30 });
    const { interaction: prompt } = await other.ask({ expiresInSeconds: 30 });
    await hasTimer(prompt.id);
    await heal();
    await clock.advance(30_000);
    expect(await typesOf(prompt.id)).toEqual(['InteractionAsked', 'InteractionExpired']);
    expect(await typesOf(interaction.id)).toEqual(['InteractionAsked']);
    await rejoin(projections, 'expiry', person.accountId);
    await ended(interaction.id, 'InteractionExpired');
    expect(await typesOf(put.interaction.id)).toEqual(['InteractionAsked', 'InteractionAnswered']);
    await hasNoTimer(put.interaction.id);
  });

  it('happens after the service was down, also for prompts asked meanwhile', async () => {
    const person = new Person();
    const { interaction } = await person.ask({ expiresInSeconds: 30 });
    const { interaction: later } = await person.ask({ expiresInSeconds: 3_600 });
    await hasTimer(later.id);
    await running.close();
    await clock.advance(31_000);
    await start();
    await ended(interaction.id, 'InteractionExpired');
    expect(await typesOf(later.id)).toEqual(['InteractionAsked']);
    expect(await timers()).toContain(later.id);
  });
});

describe('an escalation', () => {
  it('of an account that is set aside is enqueued late, and those of others in time', async () => {
    const projections = running.get(Projections);
    const [person, other] = [new Person(), new Person()];
    const escalating = async ({ accountId }: Person, interactionId: string): Promise<void> => {
      const event = interactionAsked({
        ...{ interactionId, accountId, askedAt: clock.now() },
        escalatesTo: { groupId: newId('ocg', 1), at: plus(clock.now(), 60_000) },
      });
      const metadata = streamMetadata(accountId, { process: 'test' });
      await running.get(Log).appendTo(prompt, streamTail(interactionId), [event], 'any', metadata);
    };
    const [first, later, others] = [1, 2, 3].map((n) => newId('int', clock.ms() + n)) as [
      string,
      string,
      string,
    ];
    const heal = await poison(running.get(Database), {
      table: 'escalating_prompts',
      column: 'interaction_id',
      value: first,
    });
    await escalating(person, first);
    await setAside(projections, 'prompt_escalations');
    await escalating(person, later);
    await escalating(other, others);
    await hasTimer(`escalate ${others}`);
    const escalations = async (): Promise<string[]> =>
      (await timers()).filter((key) => key.startsWith('escalate '));
    expect(await escalations()).toEqual([`escalate ${others}`]);
    await heal();
    await rejoin(projections, 'prompt_escalations', person.accountId);
    expect((await escalations()).sort()).toEqual([first, later, others].map((id) => `escalate ${id}`).sort());
    // None of them is due any more.
    for (const id of [first, later]) await person.inPerson(Interactions.cancel, { id });
    await other.inPerson(Interactions.cancel, { id: others });
    for (const id of [first, later, others]) await hasNoTimer(`settle ${id}`);
  });
});

describe('rows', () => {
  const rows = () => running.get(Database).query(`SELECT * FROM prompts ORDER BY interaction_id, account_id`);
  const fill = async (person: Person): Promise<void> => {
    for (let n = 0; n < 12; n += 1) {
      const { interaction, liveActivityId } = await person.ask({
        expiresInSeconds: 30 + n * 600,
        ...(n % 3 === 0 && { kind: 'reply', choices: ['a', 'b'] }),
        ...(n % 4 === 0 && { presentation: 'live_activity' }),
        ...(n % 2 === 0 && { projectId: 'web' }),
      });
      if (n % 5 === 1) await person.answer(interaction, n % 3 === 0 ? 'text' : 'denied');
      if (n % 5 === 2) await person.inPerson(Interactions.cancel, { id: interaction.id });
      await reported(person, interaction.id, n % 3, true);
      if (liveActivityId !== undefined)
        for (const device of ['dev_2', 'dev_1', 'dev_2']) await pushed(person, liveActivityId, device);
    }
    await clock.advance(31_000);
  };
  it('rebuilt from the log are the same', async () => {
    const person = new Person();
    await fill(person);
    await settled();
    const before = await rows();
    expect(new Set(before.map(({ status }: { status: string }) => status)).size).toBeGreaterThanOrEqual(4);
    await running.get(Projections).rebuild('prompts');
    expect(await rows()).toEqual(before);
  });

  it('that are lost, timers included, are restored at the next start', async () => {
    const person = new Person();
    await fill(person);
    await settled();
    const before = await rows();
    const waiting = (await timers()).sort();
    expect(waiting.length).toBeGreaterThan(5);
    await running.close();
    const url = parts.env['DATABASE_URL']!;
    const database = await Database.open({ url, schema: 'interactions', migrations: [] });
    await database.query(`TRUNCATE prompts, timers, projection_checkpoints`);
    await database.close();
    await start();
    await settled();
    expect(await rows()).toEqual(before);
    // Timers that were due before the loss are done again.
    await eventually(
      async () => isDeepStrictEqual((await timers()).sort(), waiting) || undefined,
      () => 'the timers are not those from before the loss',
      30_000,
    );
    // A prompt from before the loss still expires.
    const [pending] = (await person.list()).filter(({ status }) => status === 'pending');
    await clock.advance(7_200_000);
    await ended(pending!.id, 'InteractionExpired');
  });
});

describe('the text of a deleted account', () => {
  const asker = new Person();
  const reader = new Person();
  const streamOfAsker = `account-${streamTail(asker.accountId)}`;
  const forget = (): Promise<string> =>
    put(
      streamOfAsker,
      { type: 'AccountForgotten', accountId: asker.accountId, forgottenAt: clock.now() } as DomainEvent,
      asker.accountId,
    );
  const query = <T>(sql: string): Promise<T[]> => running.get(Database).query<T>(sql, [asker.accountId]);
  /** How many rows each transaction has written, of those with or without text. */
  const written = async (which: string): Promise<number[]> =>
    (
      await query<{ n: number }>(
        `SELECT count(*)::int AS n FROM prompts WHERE sender_id = $1 AND title IS ${which} GROUP BY xmin::text
         ORDER BY n DESC`,
      )
    ).map(({ n }) => n);
  const isQueued = async (): Promise<boolean> => (await timers()).includes(asker.accountId);

  it('is hidden at once, and cleared 5,000 rows a transaction, also after a crash in between', async () => {
    await query(
      `INSERT INTO prompts (interaction_id, account_id, sender_id, kind, presentation, status, title, prompt, choices,
         action_digest, accepted, accepted_by, created_at, expires_at)
       SELECT 'int_' || n, CASE WHEN n <= 20 THEN '${reader.accountId}' ELSE 'usr_' || n END, $1, 'reply', 'notification',
         'pending', 'Secret', 'Secret', '["Secret"]', '', 0, '{}', '${clock.now()}', '${clock.now()}'::timestamptz + '1h'
       FROM generate_series(1, 12000) n`,
    );
    const titles = async () =>
      (await reader.list()).map(({ title, prompt, choices }) => [title, prompt, choices]);
    expect(new Set((await titles()).map(String))).toEqual(new Set(['Secret,Secret,Secret']));

    // Of another process: the service ends its own connections.
    const url = parts.env['DATABASE_URL']!;
    const another = await Database.open({ url, schema: 'interactions', migrations: [] });
    const other = await another.connect();
    await other.query(`BEGIN`);
    await other.query(`SELECT FROM prompts WHERE account_id = $1 FOR UPDATE`, [reader.accountId]);
    await forget();
    await until(async () => (await written('NULL')).length === 3, 'the rows are not cleared');
    expect(await written('NULL')).toEqual([5_000, 5_000, 1_980]);
    expect(await written('NOT NULL')).toEqual([20]);
    expect(new Set((await titles()).map(String))).toEqual(new Set([',,']));

    await running.close();
    await other.query(`COMMIT`);
    await another.close();
    await start();
    expect(await isQueued()).toBe(true);
    await clock.advance(1_000);
    await until(async () => !(await isQueued()), 'the account is queued');
    expect(await written('NOT NULL')).toEqual([]);
    expect(await titles()).toHaveLength(20);
    expect(new Set((await titles()).map(String))).toEqual(new Set([',,']));
  });

  it('is cleared once when the account is deleted twice', async () => {
    const before = await written('NULL');
    await forget();
    await settled();
    await until(async () => !(await isQueued()), 'the account is queued');
    expect(await written('NULL')).toEqual(before);
  });

  it('is cleared at once from the copies of a rebuild', async () => {
    await query(`UPDATE prompts SET title = 'Secret' WHERE sender_id = $1`);
    const cause = (await running.get(Log).open(await running.get(Log).store.read(streamOfAsker)))[0]!;
    await running.get(Database).transaction(async ({ query: run }) => {
      await running.get(ForgottenPrompts).forget({ query: run, rebuilding: true }, asker.accountId, cause);
    });
    expect(await written('NOT NULL')).toEqual([]);
    expect(await isQueued()).toBe(false);
    await query(`DELETE FROM prompts WHERE sender_id = $1`);
  });
});

describe('prompts of long ago', () => {
  const dayMs = 24 * 60 * 60 * 1000;
  const rows = () => running.get(Database).query(`SELECT * FROM prompts ORDER BY interaction_id, account_id`);
  const idsIn = async (of: readonly Person[]): Promise<string[]> =>
    (
      await running
        .get(Database)
        .query<{ id: string }>(
          `SELECT interaction_id AS id FROM prompts WHERE account_id = ANY($1) ORDER BY created_at`,
          [of.map(({ accountId }) => accountId)],
        )
    ).map(({ id }) => id);

  it('are missing after 90 days, leave Postgres with their partition, and return by no rebuild', async () => {
    const [person, other] = [new Person(), new Person()];
    const { interaction: old } = await person.ask();
    const { interaction: unanswered } = await person.ask({ title: 'Nobody answers' });
    await person.answer(old);
    await clock.advance(60 * dayMs);
    const { interaction: recent } = await person.ask();
    const { interaction: others } = await other.ask();
    await clock.advance(30 * dayMs - 60_000);
    expect((await person.asking(Interactions.get, { id: old.id })).value.interaction.status).toBe('approved');
    await clock.advance(60_000);
    for (const { id } of [old, unanswered]) {
      const asked = [
        person.asking(Interactions.get, { id }),
        person.asking(Interactions.cancel, { id }),
        person.inPerson(Interactions.show, { id }),
        person.answer(old, 'denied'),
      ];
      for (const { reason } of await Promise.all(asked.map(refusal)))
        expect(reason).toBe('interaction.not_found');
    }
    expect((await person.inPerson(Interactions.show, { id: recent.id })).interaction.status).toBe('expired');
    expect((await other.inPerson(Interactions.show, { id: others.id })).interaction.status).toBe('expired');

    await clock.advance(15 * dayMs);
    await settled();
    expect(await idsIn([person, other])).toEqual([recent.id, others.id]);
    const before = await rows();
    await running.get(Projections).rebuild('prompts');
    expect(await idsIn([person])).toContain(old.id);
    expect((await refusal(person.asking(Interactions.get, { id: old.id }))).reason).toBe(
      'interaction.not_found',
    );
    await clock.advance(0);
    expect(await rows()).toEqual(before);
  });
});

it('the list of prompts has indexes in its order', async () => {
  expect(await indexesOf(running.get(Database), 'prompts')).toEqual(
    expect.arrayContaining([
      `(account_id, ${promptOrder.index})`,
      `(account_id, ${promptOrder.index}) WHERE (status = 'pending'::text)`,
    ]),
  );
});
