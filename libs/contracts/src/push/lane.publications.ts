import { count, id, instant, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type { LaneEvent } from './lane.events';

export const lanePublications: Publications<LaneEvent> = {
  ActivityPushed: {
    name: 'push.activity.pushed',
    id: 'activityId',
    time: 'pushedAt',
    summary: 'What became of one operation of a live activity on one device.',
    data: {
      activityId: id,
      deviceId: id,
      accountId: id,
      operation: oneOf('start', 'update', 'end'),
      sequence: count,
      outcome: oneOf('accepted', 'failed', 'superseded', 'dropped'),
      pushedAt: instant,
    },
  },
  ActivityTokenRegistered: unpublished,
};
