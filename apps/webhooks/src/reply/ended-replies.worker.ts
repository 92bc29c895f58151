import type { Sql } from '@carillon/event-store';
import type { Instant, Recorded } from '@carillon/eventing';
import { RowBatches } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { disconnectedReplies, endedReplies, isConnected } from '../delivery/ending';

interface Ending {
  /** The endpoint or the connector. */
  readonly id: string;
  readonly reason: 'disabled' | 'deleted';
  readonly at: Instant;
  /** The position of the log: deliveries that wait since later stay. */
  readonly position: string;
}

/** Makes waiting deliveries due at once, so that the worker cancels them. */
abstract class EndedReplies extends RowBatches<Ending> {
  /** Selects by the `$1` of the command. */
  protected abstract readonly which: string;

  /** Called when deliveries may be due. */
  onDue = (): void => {};

  /** A row of a deleted endpoint or connector stays one, so that two commands never undo each other's changes. */
  protected get changes() {
    return [
      {
        due: `replies WHERE ${this.which} AND due_at IS NOT NULL
          AND (cancel IS NULL OR cancel = 'disabled' AND $2::text = 'deleted' OR due_at > $3::timestamptz)`,
        change: `UPDATE replies SET cancel = CASE WHEN cancel = 'deleted' THEN cancel ELSE $2::text END,
          due_at = least(due_at, $3::timestamptz)`,
      },
    ];
  }

  async end(
    sql: Sql,
    { id, reason, at }: Omit<Ending, 'position'>,
    from: Pick<Recorded, 'id' | 'metadata' | 'position'>,
  ): Promise<void> {
    await this.begin(sql, { key: id, command: { id, reason, at, position: String(from.position) }, from });
  }

  protected override async execute(command: Ending): Promise<Instant | void> {
    const again = await super.execute(command);
    this.onDue();
    return again;
  }

  protected valuesOf({ id, reason, at, position }: Ending): readonly unknown[] {
    return [id, reason, at, position];
  }
}

/** The deliveries of endpoints that were disabled or deleted: switching on again does not revive them. */
@Injectable()
export class RepliesOfEnded extends EndedReplies {
  readonly name = endedReplies;
  protected readonly process = 'webhooks.ended_replies';
  protected readonly which = 'webhook_id = $1 AND wanted < $4::numeric';
}

/** The deliveries that went through connectors that were removed: their hosts are no longer receivers. */
@Injectable()
export class DisconnectedReplies extends EndedReplies {
  readonly name = disconnectedReplies;
  protected readonly process = 'webhooks.disconnected_replies';
  protected readonly which = `connector_id = $1 AND greatest(tried, wanted) < $4::numeric AND ${isConnected}`;
}
