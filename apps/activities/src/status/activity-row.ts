import type { ActivityPrompt, ActivityProps, ActivityStatus } from '@carillon/contracts';
import { instant, type Instant } from '@carillon/eventing';
import type { ActivityRecord } from './view';
import type { Instance, DerivedStatus } from './derived-status';

/** The row of one activity. */
export interface ActivityRow {
  activity_id: string;
  account_id: string;
  /** The account that started the activity, if it is a different one. */
  sender_id: string | null;
  token_id: string;
  key: string | null;
  props: ActivityProps | null;
  prompt: ActivityPrompt | null;
  status: ActivityStatus;
  sequence: number;
  instances: Record<string, Instance>;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  ended_at: Date | null;
}

export const columnTypes = {
  activity_id: 'text',
  account_id: 'text',
  sender_id: 'text',
  token_id: 'text',
  key: 'text',
  props: 'jsonb',
  prompt: 'jsonb',
  status: 'text',
  sequence: 'integer',
  instances: 'jsonb',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  expires_at: 'timestamptz',
  ended_at: 'timestamptz',
} as const;

export const activityColumns = Object.keys(columnTypes).join(', ');
/** Those without text. */
export const plainColumns = Object.keys(columnTypes)
  .filter((column) => column !== 'props' && column !== 'prompt')
  .join(', ');

const at = (date: Date): Instant => instant(date.getTime());

export const derivedStatusOf = (
  row: Pick<ActivityRow, 'status' | 'sequence' | 'instances' | 'ended_at'>,
): DerivedStatus => ({
  status: row.status,
  sequence: row.sequence,
  endedAt: row.ended_at && at(row.ended_at),
  instances: row.instances,
});

export const keptOf = (row: ActivityRow): ActivityRecord => ({
  activityId: row.activity_id,
  key: row.key,
  props: row.props,
  prompt: row.prompt,
  createdAt: at(row.created_at),
  updatedAt: at(row.updated_at),
  expiresAt: at(row.expires_at),
});
