import {
  type House,
  type HouseAccount,
  type HouseAnswer,
  onCall,
  type Receiver,
  reachable,
} from '@carillon/testkit';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type LedgerEntry,
  type Kind,
  type Ledger,
  mayBeAnswered,
  type RequestOutcome,
  outcomeOf,
} from './ledger';

/** The accounts that send the load, and their requests. */
export interface Scene {
  readonly house: House;
  readonly receiver: Receiver;
  /** Has a person on call, and another for the escalation. */
  readonly groupId: string;
  readonly teamId: string;
  readonly pager: HouseAccount;
  /** The names of both, as pages have them, by their phones. */
  readonly toRing: ReadonlyMap<string, string>;
  readonly activityId: string;
  readonly webhookId: string;
}

/** Creates the accounts, phones and quotas that the load needs, before any fault. */
export async function setScene(house: House): Promise<Scene> {
  const receiver = await house.receiver();
  receiver.ignore();
  const created = (what: string, { status, body }: HouseAnswer) => {
    if (status !== 201) throw new Error(`${what} was answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const { webhook } = created(
    'a webhook',
    await house.api('POST', '/webhooks', { body: { name: 'Bot', url: receiver.url, isDefault: true } }),
  );
  const [ann, ben] = [await reachable(house, 'Ann'), await reachable(house, 'Ben')];
  const { teamId, groupId } = await onCall(house, [ann.account, ben.account], {
    turns: [ann.account, ben.account],
  });
  const changed = await ann.account.api('PATCH', `/oncall/${groupId}`, {
    body: { escalation: [{ afterMinutes: 1, target: 'next' }] },
  });
  if (changed.status !== 200) throw new Error(`the group was answered ${JSON.stringify(changed.body)}`);
  const activity = created(
    'an activity',
    await house.api('POST', '/activities', { body: { key: 'build', props: { title: 'Build' } } }),
  );
  return {
    house,
    receiver,
    groupId,
    teamId,
    pager: ann.account,
    toRing: new Map([
      [ann.phone.id, 'Ann'],
      [ben.phone.id, 'Ben'],
    ]),
    activityId: activity.activity.id,
    webhookId: webhook.id,
  };
}

/** Sends requests and records their answers until it is stopped. */
export class Load {
  private ended = false;
  private probes = 0;
  private readonly clients: Promise<unknown>;

  constructor(
    private readonly scene: Scene,
    private readonly ledger: Ledger,
  ) {
    this.clients = Promise.all([
      ...['a', 'b'].map((client) => this.over(100, (n) => this.notifyWithKey(`keyed ${client} ${n}`))),
      ...['a', 'b'].map((client) => this.over(120, (n) => this.notify(`plain ${client} ${n}`))),
      this.over(300, (n) => this.ask(`prompt ${n}`)),
      this.over(250, (n) => this.change(n)),
      this.over(1_500, (n) => this.page(`page ${n}`)),
    ]);
  }

  /** Whether a write is acknowledged now. */
  async isServed(): Promise<boolean> {
    return (await this.notify(`probe ${(this.probes += 1)}`)) === 'acknowledged';
  }

  /** Stops the load. A retry under way continues until it is acknowledged. */
  async end(): Promise<void> {
    this.ended = true;
    await this.clients;
  }

  private async over(pauseMs: number, work: (n: number) => Promise<unknown>): Promise<void> {
    for (let n = 1; !this.ended; n += 1) {
      await work(n);
      await pause(pauseMs);
    }
  }

  private async notify(title: string): Promise<RequestOutcome> {
    const { api } = this.agent();
    return (
      await this.entered('notification', title, () =>
        api('POST', '/notifications', { body: { title, body: 'x' } }),
      )
    ).told;
  }

  private notifyWithKey(title: string): Promise<LedgerEntry> {
    const { api } = this.agent();
    const given = { body: { title, body: 'x' }, headers: { 'idempotency-key': keyOf(title) } };
    return this.insist('notification', title, () => api('POST', '/notifications', given));
  }

  private async ask(title: string): Promise<void> {
    const { api, session } = this.agent();
    const body = { title, prompt: 'Ship it?', kind: 'approval' };
    const given = { body, headers: { 'idempotency-key': keyOf(title) } };
    let digest = '';
    const { id } = await this.insist('prompt', title, async () => {
      const answer = await api('POST', '/interactions', given);
      digest = answer.body?.interaction?.actionDigest ?? digest;
      return answer;
    });
    const answer = { answer: 'approved', actionDigest: digest };
    await this.insist('answer', title, async () => {
      const answered = await session('POST', `/prompts/${id}/answer`, { body: answer });
      // After an unknown outcome this read tells whether it has happened.
      return answered.body?.code === 'INTERACTION_NOT_PENDING' && answered.body.status === 'approved'
        ? { ...answered, status: 200 }
        : answered;
    });
  }

  private change(n: number): Promise<LedgerEntry> {
    const { api } = this.agent();
    const body = { props: { title: 'Build', status: `step ${n}` } };
    const given = { body, headers: { 'idempotency-key': `change-${n}` } };
    return this.insist('change', String(n), () =>
      api('PATCH', `/activities/${this.scene.activityId}`, given),
    );
  }

  private page(title: string): Promise<LedgerEntry> {
    const body = { title, dedupKey: title };
    return this.insist('page', title, () =>
      this.scene.pager.api('POST', `/oncall/${this.scene.groupId}/pages`, { body }),
    );
  }

  private agent() {
    const { house } = this.scene;
    return {
      api: house.api.bind(house),
      session: house.session.bind(house),
    };
  }

  /** Retries until the request is acknowledged, as agents do. */
  private async insist(kind: Kind, name: string, request: () => Promise<HouseAnswer>): Promise<LedgerEntry> {
    for (;;) {
      const entry = await this.entered(kind, name, request);
      if (entry.told === 'acknowledged') return entry;
      await pause(250);
    }
  }

  private async entered(kind: Kind, name: string, request: () => Promise<HouseAnswer>): Promise<LedgerEntry> {
    const atMs = Date.now();
    const answer = await this.answered(kind, name, request);
    const entry: LedgerEntry = { atMs, untilMs: Date.now(), kind, name, ...answer };
    this.ledger.wrote(entry);
    return entry;
  }

  private async answered(kind: Kind, name: string, request: () => Promise<HouseAnswer>): Promise<LoadAnswer> {
    try {
      const { status, body } = await request();
      const answer = [status, body?.code].filter(Boolean).join(' ');
      const made = body?.notification ?? body?.interaction ?? body?.page;
      const id = kind === 'change' ? changeId(name) : made?.id;
      return {
        told: outcomeOf(status, body?.code),
        answer,
        ...(!mayBeAnswered(status, body?.code) && { unheardOf: JSON.stringify(body).slice(0, 300) }),
        ...(typeof id === 'string' && { id }),
        ...(typeof body?.accepted === 'number' && { accepted: body.accepted }),
      };
    } catch (error) {
      const { message, cause } = error as Error & { cause?: unknown };
      // A refused visitor has requested nothing yet.
      if (/^signing in was answered 50[34]$/.test(message)) return { told: 'refused', answer: message };
      const answer = `no answer: ${message} ${String(cause ?? '')}`.trim();
      return { told: 'unknown', answer, unanswered: true };
    }
  }
}

type LoadAnswer = Omit<LedgerEntry, 'atMs' | 'untilMs' | 'kind' | 'name'>;

/** Under what a provider has a change of the activity. */
export const changeId = (number: string): string => `step ${number}`;

const keyOf = (title: string): string => title.replaceAll(' ', '-');
