import type { InteractionEnded } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { createdBetween } from '@carillon/signing';

export async function endPrompts(sql: Sql, ended: readonly InteractionEnded[]): Promise<void> {
  const given = columns(
    {
      interaction_id: 'text',
      status: 'text',
      response: 'text',
      responding_user_id: 'text',
      responding_device_id: 'text',
      responded_at: 'timestamptz',
      canceled_at: 'timestamptz',
      readers: 'jsonb',
    },
    ended,
    (event) => ({ ...endingOf(event), readers: event.readers ? JSON.stringify(event.readers) : null }),
    { from: 3 },
  );
  const { from, to } = createdBetween(ended.map(({ interactionId }) => interactionId));
  await sql.query(
    `UPDATE prompts p SET status = n.status, response = n.response, responding_user_id = n.responding_user_id,
       responding_device_id = n.responding_device_id, responded_at = n.responded_at, canceled_at = n.canceled_at
     FROM ${given.rows}
     WHERE p.interaction_id = n.interaction_id AND p.created_at BETWEEN $1 AND $2
       AND (n.readers IS NULL OR n.readers ? p.account_id)`,
    [from, to, ...given.values],
  );
}

const nobody = {
  response: null,
  responding_user_id: null,
  responding_device_id: null,
  responded_at: null,
  canceled_at: null,
};

function endingOf(event: InteractionEnded) {
  const interaction_id = event.interactionId;
  switch (event.type) {
    case 'InteractionAnswered':
      return {
        interaction_id,
        status: event.status,
        response: event.response,
        responding_user_id: event.respondingUserId,
        responding_device_id: event.respondingDeviceId,
        responded_at: event.answeredAt,
        canceled_at: null,
      };
    case 'InteractionCanceled':
      return { ...nobody, interaction_id, status: 'canceled', canceled_at: event.canceledAt };
    case 'InteractionExpired':
      return { ...nobody, interaction_id, status: 'expired' };
  }
}
