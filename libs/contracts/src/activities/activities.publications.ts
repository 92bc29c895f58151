import { count, id, instant, listOf, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type {
  ActivityBoardEvent,
  ActivityCommandEvent,
  ActivityEvent,
  MutationAnswered,
} from './activities.events';

export const activityPublications: Publications<
  ActivityBoardEvent | ActivityEvent | ActivityCommandEvent | MutationAnswered
> = {
  ActivityStarted: {
    name: 'activities.activity.started',
    id: 'activityId',
    time: 'startedAt',
    summary: 'A live activity runs, and is to be shown on these devices.',
    data: {
      activityId: id,
      accountId: id,
      tokenId: id,
      replacedId: nullable(id),
      deviceIds: listOf(id),
      recipients: nullable(listOf(id)),
      sequence: count,
      startedAt: instant,
      expiresAt: instant,
    },
  },
  ActivityUpdated: {
    name: 'activities.activity.updated',
    id: 'activityId',
    time: 'updatedAt',
    summary: 'A live activity has another state.',
    data: {
      activityId: id,
      accountId: id,
      sequence: count,
      priorityReason: oneOf('routine', 'milestone', 'budget_exhausted', 'start', 'end', 'interaction'),
      updatedAt: instant,
    },
  },
  ActivityEnded: {
    name: 'activities.activity.ended',
    id: 'activityId',
    time: 'endedAt',
    summary: 'A live activity is over.',
    data: {
      activityId: id,
      accountId: id,
      reason: oneOf('ended', 'replaced', 'answered', 'canceled'),
      sequence: count,
      endedAt: instant,
    },
  },
  ActivityExpired: {
    name: 'activities.activity.expired',
    id: 'activityId',
    time: 'expiredAt',
    summary: 'A live activity reached its deadline.',
    data: { activityId: id, accountId: id, sequence: count, expiredAt: instant },
  },
  ActivityFailed: {
    name: 'activities.activity.failed',
    id: 'activityId',
    time: 'failedAt',
    summary: 'A live activity failed on every device, and is over.',
    data: { activityId: id, accountId: id, sequence: count, failedAt: instant },
  },
  ActivityAdmitted: unpublished,
  ActivityReleased: unpublished,
  ActivityCapacityLent: unpublished,
  ActivityCapacityReturned: unpublished,
  ActivityCommandClaimed: unpublished,
  ActivityCommandTakenOver: unpublished,
  ActivityCommandFreed: unpublished,
  MutationAnswered: unpublished,
};
