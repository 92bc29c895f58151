import type { Streams } from '@carillon/contracts';
import { type EventsOf, ignore, Projection, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'webhook' | 'default_webhook'>;

/** Projects the existing webhooks, without their secrets, and the default of each account. */
@Injectable()
export class WebhookProjection extends Projection<Followed> {
  readonly name = 'webhooks';
  override readonly partitioned = 'accounts';
  readonly tables = ['webhooks', 'default_webhooks'];
  readonly on: On<Followed> = {
    webhook: {
      WebhookCreated: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO webhooks (webhook_id, account_id, name, url, preset, header_names, events, enabled, created_at,
             updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
          [
            event.webhookId,
            event.accountId,
            event.name,
            event.url,
            event.preset,
            namesOf(event.headers),
            event.events,
            event.enabled,
            event.createdAt,
          ],
        );
      },
      WebhookChanged: async (sql, { event }) => {
        const { name, url, preset, headers, events, enabled } = event;
        await sql.query(
          `UPDATE webhooks SET updated_at = $2,
             name = coalesce($3, name),
             url = coalesce($4, url),
             preset = coalesce($5, preset),
             header_names = coalesce($6, header_names),
             events = coalesce($7, events),
             enabled = coalesce($8, enabled)
           WHERE webhook_id = $1`,
          [event.webhookId, event.changedAt, name, url, preset, headers && namesOf(headers), events, enabled],
        );
      },
      WebhookSecretRotated: async (sql, { event }) => {
        await sql.query(`UPDATE webhooks SET updated_at = $2 WHERE webhook_id = $1`, [
          event.webhookId,
          event.rotatedAt,
        ]);
      },
      WebhookDisabled: async (sql, { event }) => {
        await sql.query(`UPDATE webhooks SET enabled = false, updated_at = $2 WHERE webhook_id = $1`, [
          event.webhookId,
          event.disabledAt,
        ]);
      },
      WebhookDeleted: async (sql, { event }) => {
        await sql.query(`DELETE FROM webhooks WHERE webhook_id = $1`, [event.webhookId]);
      },
    },
    default_webhook: {
      WebhookAdmitted: ignore,
      WebhookReleased: ignore,
      DefaultWebhookChosen: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO default_webhooks (account_id, webhook_id) VALUES ($1, $2)
           ON CONFLICT (account_id) DO UPDATE SET webhook_id = excluded.webhook_id`,
          [event.accountId, event.webhookId],
        );
      },
    },
  };

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }
}

/** Null when the names are unreadable since the account's key was deleted. */
const namesOf = (headers: readonly { readonly name: string }[] | null): string[] =>
  (headers ?? []).map(({ name }) => name);
