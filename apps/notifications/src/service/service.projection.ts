import { profileEventTypes, type Streams } from '@carillon/contracts';
import { type EventsOf, ignoring, Projection, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'service' | 'account'>;

/** Projects the existing services, and the hash of the secret in the URL of each. */
@Injectable()
export class ServiceProjection extends Projection<Followed> {
  readonly name = 'services';
  readonly tables = ['services'];
  readonly on: On<Followed> = {
    service: {
      ServiceCreated: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO services (service_id, account_id, title, image_url, url, default_reply_webhook_id, hook_hash,
             created_at, updated_at, preset, events_per,
             oncall_group_id, oncall_from, oncall_group_gone, has_sender_secret,
             expect_every_seconds, grace_seconds)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, false, $13, $14, $15)`,
          [
            event.serviceId,
            event.accountId,
            event.title,
            event.imageUrl,
            event.url,
            event.defaultReplyWebhookId,
            event.hookHash,
            event.createdAt,
            event.preset ?? 'plain',
            event.eventsPer ?? 'group',
            event.oncallGroupId ?? null,
            event.oncallFrom ?? 'info',
            typeof event.sealedSenderSecret === 'string',
            event.expectEverySeconds ?? null,
            event.graceSeconds ?? 0,
          ],
        );
      },
      ServiceChanged: async (sql, { event }) => {
        await sql.query(
          `UPDATE services SET updated_at = $2,
             title = CASE WHEN $3 THEN $4 ELSE title END,
             image_url = CASE WHEN $5 THEN $6 ELSE image_url END,
             url = CASE WHEN $7 THEN $8 ELSE url END,
             default_reply_webhook_id = CASE WHEN $9 THEN $10 ELSE default_reply_webhook_id END,
             preset = coalesce($11, preset),
             events_per = coalesce($12, events_per),
             oncall_group_id = CASE WHEN $13 THEN $14 ELSE oncall_group_id END,
             oncall_group_gone = coalesce($15, CASE WHEN $13 THEN false ELSE oncall_group_gone END),
             oncall_from = coalesce($16, oncall_from),
             has_sender_secret = coalesce($17, has_sender_secret),
             expect_every_seconds = CASE WHEN $18 THEN $19 ELSE expect_every_seconds END,
             grace_seconds = coalesce($20, grace_seconds)
           WHERE service_id = $1`,
          [
            event.serviceId,
            event.changedAt,
            ...[event.title, event.imageUrl, event.url, event.defaultReplyWebhookId].flatMap((value) => [
              value !== undefined,
              value ?? null,
            ]),
            event.preset ?? null,
            event.eventsPer ?? null,
            event.oncallGroupId !== undefined,
            event.oncallGroupId ?? null,
            event.oncallGroupGone ?? null,
            event.oncallFrom ?? null,
            event.sealedSenderSecret === undefined ? null : event.sealedSenderSecret !== null,
            event.expectEverySeconds !== undefined,
            event.expectEverySeconds ?? null,
            event.graceSeconds ?? null,
          ],
        );
      },
      ServiceShared: async (sql, { event }) => {
        await sql.query(`UPDATE services SET updated_at = $2 WHERE service_id = $1`, [
          event.serviceId,
          event.sharedAt,
        ]);
      },
      HookRotated: async (sql, { event }) => {
        await sql.query(`UPDATE services SET hook_hash = $2, updated_at = $3 WHERE service_id = $1`, [
          event.serviceId,
          event.hookHash,
          event.rotatedAt,
        ]);
      },
      ServiceDeleted: async (sql, { event }) => {
        await sql.query(`DELETE FROM services WHERE service_id = $1`, [event.serviceId]);
        // The rows of payloads and calls follow from no event: a rebuild has none.
        if (sql.rebuilding) return;
        await sql.query(`DELETE FROM service_payloads WHERE service_id = $1`, [event.serviceId]);
        await sql.query(`DELETE FROM service_calls WHERE service_id = $1`, [event.serviceId]);
      },
    },
    account: {
      ...ignoring(...profileEventTypes),
      // Some thousand rows at most; without the key of the account they cannot be read already.
      AccountForgotten: async (sql, { event }) => {
        if (sql.rebuilding) return;
        await sql.query(`DELETE FROM service_payloads WHERE account_id = $1`, [event.accountId]);
        await sql.query(
          `DELETE FROM service_calls WHERE service_id IN (SELECT service_id FROM services WHERE account_id = $1)`,
          [event.accountId],
        );
      },
    },
  };

  /** The creator, whoever changed the service. */
  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }
}
