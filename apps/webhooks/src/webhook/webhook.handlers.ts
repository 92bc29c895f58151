import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type ChangedHeader,
  ChangeWebhook,
  CreateWebhook,
  FindReplyTargets,
  GetWebhook,
  hiddenValue,
  ListWebhooks,
  type ListPage,
  replyEventTypes,
  type ReplyEventType,
  type ReplyTargets,
  type ReplyWebhook,
  type ReplyWebhookCreated,
  RotateWebhookSecret,
  WebhookById,
  type WebhookEvent,
  type WebhookPreset,
  Webhooks,
  type WebhookWithDeliveries,
} from '@carillon/contracts';
import { Destinations } from '@carillon/destinations';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decide, Refused } from '@carillon/eventing';
import { Clock, Cursors, LOGGER, type Logger, metadataOf, retryingWithoutMissing } from '@carillon/runtime';
import { KeyRing, newId, signingSecretOf, sortedBy, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Connectors } from '../destination/connectors.client';
import { Rates } from '../destination/rates.client';
import { Deliveries, deliveryOrder, deliveryView } from '../delivery/deliveries';
import { accountWebhooks, admit, choose, release, targetsOf, unchoose } from './account-webhooks';
import { type GivenHeader, keepsValue } from './headers';
import { openHeader, openSecret, sealHeader, sealSecret } from './secrets';
import {
  type WebhookRequest,
  change,
  create,
  isOwned,
  visible,
  remove,
  rotate,
  type Webhook,
  webhook,
  type WebhookState,
} from './webhook';

/** How often an account may have us look an address up to save it. */
const addressesPerHour = 60;

interface WebhookRow {
  webhook_id: string;
  name: string | null;
  url: string | null;
  preset: WebhookPreset;
  header_names: string[];
  events: ReplyEventType[];
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
  is_default: boolean;
}

export const webhookOrder = sortedBy(['created_at', 'desc'], ['webhook_id', 'desc']).of('w');

@Controller()
export class WebhookHandlers {
  private readonly cursors = new Cursors('webhook', webhookOrder);
  private readonly replies = new Cursors('reply', deliveryOrder);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(Connectors) private readonly connectors: Connectors,
    @Inject(Rates) private readonly rates: Rates,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Handles(Webhooks.list)
  async list(input: ListWebhooks, context: Context): Promise<Answer<ListPage<ReplyWebhook>>> {
    const { accountId } = context.caller;
    await this.projections.reached('webhooks', context.after, accountId);
    const { enabled = null } = input;
    const page = this.cursors.asked([accountId, enabled], input);
    const after = page.after(4);
    const rows = await this.database.query<WebhookRow>(
      `SELECT w.webhook_id, name, url, preset, header_names, events, enabled, created_at, updated_at,
         d.webhook_id IS NOT NULL AS is_default
       FROM webhooks w
       LEFT JOIN default_webhooks d ON d.account_id = w.account_id AND d.webhook_id = w.webhook_id
       WHERE w.account_id = $1
         AND ($2::boolean IS NULL OR enabled = $2)
         AND ${after.text}
       ORDER BY ${webhookOrder.by} LIMIT $3`,
      [accountId, enabled, page.limit + 1, ...after.values],
    );
    return answer(page.of(rows, rows.map(fromRow)));
  }

  @Handles(Webhooks.create)
  async create(input: CreateWebhook, context: Context): Promise<Answer<ReplyWebhookCreated>> {
    const { accountId } = context.caller;
    const id = newId('whk', this.clock.ms());
    const signingSecret = this.secretFrom(input);
    const at = this.clock.now();
    const decide = create({
      id,
      accountId,
      name: input.name,
      url: input.url,
      preset: input.preset ?? 'generic',
      headers: this.sealed(id, input.headers ?? []),
      events: input.events ?? replyEventTypes,
      enabled: input.enabled ?? true,
      sealedSecret: sealSecret(this.ring, id, signingSecret),
      at,
    });
    // An invalid webhook is refused before the DNS lookup and before its slot is reserved.
    decide(webhook.initial);
    await this.checkAddress(input.url, context);
    await this.admit({ id, accountId, at }, context);
    const created = await this.log.transact(webhook, streamTail(id), decide, metadataOf(context), {
      expectNew: true,
    });
    const isDefault = input.isDefault ?? false;
    const chosen = isDefault ? await this.choose({ id, accountId, at }, true, context) : created;
    return answer(
      { webhook: webhookView(existingOf(created.state), isDefault), signingSecret },
      chosen.position,
    );
  }

  @Handles(Webhooks.get)
  async get(input: GetWebhook, context: Context): Promise<Answer<WebhookWithDeliveries>> {
    const { id, status, cursor, limit = 20 } = input;
    const { accountId } = context.caller;
    const { state } = await this.log.load(webhook, streamTail(id));
    const of = visible(state, { id, accountId });
    const { defaultId } = (await this.log.load(accountWebhooks, accountId)).state;
    await this.projections.reached('replies', context.after, accountId);
    const asked = this.replies.asked([id, status ?? null], { limit, cursor });
    const now = this.clock.now();
    const rows = await this.deliveries.list({
      webhookId: id,
      status,
      key: asked.key,
      limit: asked.limit + 1,
      now,
    });
    const { items: deliveries, nextCursor } = asked.of(rows, rows.map(deliveryView));
    return answer({ webhook: webhookView(of, defaultId === id), deliveries, nextCursor });
  }

  @Handles(Webhooks.change)
  async change(
    { id, isDefault, headers, ...plain }: ChangeWebhook,
    context: Context,
  ): Promise<Answer<{ webhook: ReplyWebhook }>> {
    const asked = this.asked(id, context);
    const decide = change({
      ...asked,
      changes: { ...plain, ...(headers && { headers: this.sealed(id, headers) }) },
    });
    // A change that is refused causes no DNS lookup.
    decide((await this.log.load(webhook, streamTail(id))).state);
    if (plain.url !== undefined) await this.checkAddress(plain.url, context);
    const changed = await this.transact(decide, id, context);
    const account =
      isDefault === undefined
        ? await this.log.load(accountWebhooks, asked.accountId)
        : await this.choose(asked, isDefault, context);
    return answer(
      { webhook: webhookView(existingOf(changed.state), account.state.defaultId === id) },
      newest(changed.position, account.position),
    );
  }

  @Handles(Webhooks.remove)
  async remove({ id }: WebhookById, context: Context): Promise<Answer<{ ok: true }>> {
    const asked = this.asked(id, context);
    const removed = await this.transact(remove(asked), id, context);
    const released = await this.release(asked, context);
    return answer({ ok: true }, newest(removed.position, released));
  }

  @Handles(Webhooks.rotate)
  async rotate(input: RotateWebhookSecret, context: Context): Promise<Answer<ReplyWebhookCreated>> {
    const { id, revokeOld = false } = input;
    const asked = this.asked(id, context);
    const signingSecret = this.secretFrom(input);
    const { state, position } = await this.transact(
      rotate({
        ...asked,
        sealedSecret: sealSecret(this.ring, id, signingSecret),
        isSame: (sealed) => openSecret(this.ring, id, sealed) === signingSecret,
        revokeOld,
      }),
      id,
      context,
    );
    const { defaultId } = (await this.log.load(accountWebhooks, asked.accountId)).state;
    return answer({ webhook: webhookView(existingOf(state), defaultId === id), signingSecret }, position);
  }

  @Handles(Webhooks.targets)
  async targets(
    { webhookId, serviceDefaultId }: FindReplyTargets,
    context: Context,
  ): Promise<Answer<ReplyTargets>> {
    const { accountId } = context.caller;
    const chosen = webhookId ?? serviceDefaultId ?? null;
    const { state: account } = await this.log.load(accountWebhooks, accountId);
    const asked = targetsOf(account, chosen);
    const missing = new Set(await this.missing(asked, accountId));
    if (webhookId && missing.has(webhookId)) throw new Refused('webhook.not_found');
    return answer({ webhookIds: asked.filter((id) => !missing.has(id)) });
  }

  /** Refused `destination.not_allowed` where nothing could ever be delivered. Counted before a name server is asked. */
  private async checkAddress(url: string, context: Context): Promise<void> {
    const key = `webhook-address ${context.caller.accountId}`;
    const take = { key, limit: addressesPerHour, windowSeconds: 3_600 };
    await this.rates.take(take, 'webhook.saved_too_often', context);
    await this.destinations.check(url);
    await this.connectors.check(url, context);
  }

  /** Reserves a slot for a webhook. Only when all slots are taken does it look for webhooks that do not exist. */
  private async admit({ id, accountId, at }: WebhookRequest, context: Context): Promise<void> {
    const attempt = (missing: readonly string[]) =>
      this.log.transact(
        accountWebhooks,
        accountId,
        admit({ accountId, webhookId: id, missing, at }),
        metadataOf(context),
      );
    await retryingWithoutMissing(attempt, async () => {
      const { admitted } = (await this.log.load(accountWebhooks, accountId)).state;
      return this.missing(
        admitted.map(({ webhookId }) => webhookId),
        accountId,
      );
    });
  }

  private choose({ id, accountId, at }: WebhookRequest, isDefault: boolean, context: Context) {
    const decision = isDefault ? choose : unchoose;
    // Not the command's own id: this command may have written events to the stream already.
    const commandId = uuidV5(context.commandId, 'default webhook');
    return this.log.transact(accountWebhooks, accountId, decision({ accountId, webhookId: id, at }), {
      ...metadataOf(context),
      commandId,
    });
  }

  /** Never throws, as the webhook is deleted: a slot that is not released here is reclaimed when it is needed. */
  private async release(
    { id, accountId, at }: WebhookRequest,
    context: Context,
  ): Promise<bigint | undefined> {
    try {
      const { position } = await this.log.transact(
        accountWebhooks,
        accountId,
        release({ accountId, webhookId: id, at }),
        metadataOf(context),
      );
      return position;
    } catch (error) {
      this.logger.warn(
        { err: error, traceparent: context.traceparent },
        'Failed to release the slot of a deleted reply webhook: it is released when it is needed',
      );
      return undefined;
    }
  }

  /** The ids of these webhooks that the account does not have. */
  private async missing(ids: readonly string[], accountId: string): Promise<string[]> {
    const found = await Promise.all(
      ids.map(async (id) => {
        const { state } = await this.log.load(webhook, streamTail(id));
        return isOwned(state, { id, accountId });
      }),
    );
    return ids.filter((_, index) => !found[index]);
  }

  private asked(id: string, context: Context): WebhookRequest {
    return { id, accountId: context.caller.accountId, at: this.clock.now() };
  }

  private transact(decide: Decide<WebhookState, WebhookEvent>, id: string, context: Context) {
    return this.log.transact(webhook, streamTail(id), decide, metadataOf(context));
  }

  private secretFrom({ signingSecret }: { signingSecret?: string }): string {
    return signingSecret ?? signingSecretOf(randomBytes(32));
  }

  private sealed(id: string, headers: readonly ChangedHeader[]): GivenHeader[] {
    return headers.map(({ name, value }) =>
      value === undefined || keepsValue(value)
        ? { name }
        : {
            name,
            value: {
              sealed: sealHeader(this.ring, id, name, value).sealedValue,
              isSame: (saved) => openHeader(this.ring, id, saved) === value,
            },
          },
    );
  }
}

function existingOf(state: WebhookState): Webhook {
  if (!state) throw new Error('A reply webhook was changed without a trace');
  return state;
}

const newest = (one: bigint, other: bigint | undefined): bigint =>
  other !== undefined && other > one ? other : one;

const hidden = (names: readonly string[]): ReplyWebhook['headers'] =>
  names.map((name) => ({ name, value: hiddenValue }));

/** The webhook as the API shows it. */
const webhookView = (
  { id, name, url, preset, headers, events, enabled, createdAt, updatedAt }: Webhook,
  isDefault: boolean,
): ReplyWebhook => ({
  isDefault,
  id,
  name,
  url,
  preset,
  headers: hidden(headers.map((header) => header.name)),
  events: [...events],
  enabled,
  createdAt,
  updatedAt,
});

const fromRow = (row: WebhookRow): ReplyWebhook => ({
  isDefault: row.is_default,
  id: row.webhook_id,
  name: row.name ?? '',
  url: row.url ?? '',
  preset: row.preset,
  headers: hidden(row.header_names),
  events: row.events,
  enabled: row.enabled,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});
