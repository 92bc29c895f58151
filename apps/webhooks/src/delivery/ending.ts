/** The queues of the commands that cancel waiting deliveries: by endpoint, and by connector. */
export const endedReplies = 'ended_replies';
export const disconnectedReplies = 'disconnected_replies';

/**
 * Whether the newest attempt went through the connector that the endpoint's URL still names: the URL was not changed
 * since.
 */
export const isConnected = `NOT EXISTS (
  SELECT FROM moved_webhooks m WHERE m.webhook_id = replies.webhook_id AND m.position > replies.tried)`;

const isQueued = (queue: string, key: string, since: string): string =>
  `EXISTS (SELECT FROM timers t WHERE t.queue = '${queue}' AND t.key = ${key}
    AND ${since} < (t.command ->> 'position')::numeric)`;

/** Whether a delivery is cancelled, also before its row or its stream says so. */
export const isCanceled = `(cancel IS NOT NULL OR due_at IS NOT NULL AND (
  ${isQueued(endedReplies, 'replies.webhook_id', 'wanted')}
  OR ${isQueued(disconnectedReplies, 'replies.connector_id', 'greatest(tried, wanted)')} AND ${isConnected}))`;
