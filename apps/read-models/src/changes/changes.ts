import {
  type ActivitiesChange,
  type ActivityEvent,
  type ActivityPushed,
  type DeviceDeactivated,
  type DeviceRegistered,
  type DeviceTokensChanged,
  endOf,
  type EventReceived,
  type InboxChange,
  type InboxEvent,
  type InteractionEvent,
  type NotificationEvent,
  ownersOf,
  type PageAcknowledged,
  type PageNotified,
  type PageResolved,
  type PagesChange,
  type PageWithdrawn,
  type PromptsChange,
  type PushReported,
} from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';

type DeviceChange = DeviceRegistered | DeviceTokensChanged | DeviceDeactivated;

type PageChange = PageNotified | PageAcknowledged | PageWithdrawn | PageResolved;

/** Events of one account that change something for it. */
export type OwnedEvent =
  | NotificationEvent
  | EventReceived
  | PushReported
  | InboxEvent
  | DeviceChange
  | InteractionEvent
  | ActivityEvent
  | ActivityPushed;

export type ChangingEvent = OwnedEvent | PageChange;

/** A change as it is stored, without its log position. */
export interface KeptChange {
  readonly accountId: string;
  readonly kind:
    | InboxChange['kind']
    | 'device'
    | `prompt_${PromptsChange['kind']}`
    | `activity_${ActivitiesChange['kind']}`
    | `page_${PagesChange['kind']}`;
  /** The inbox item, the device, the prompt, the live activity or the page; null when it is about many items. */
  readonly subjectId: string | null;
  /** '' for items without a project; null where the item's row tells it, or all projects are meant. */
  readonly projectId: string | null;
  readonly at: Instant;
}

/** How many days changes are kept, for clients that reconnect and need the changes they missed. */
export const keptDays = 1;

/** Older changes are not written: the transaction may end after their partition is dropped. */
export const writtenForMs = 23 * 60 * 60 * 1000;

/** A client that missed more changes than this reloads everything, which is cheaper. */
export const maxMissed = 500;

/** The inbox item of a push subject. */
const itemOf = (subjectId: string): string =>
  `${subjectId.startsWith('evt_') ? 'event' : 'notification'}:${subjectId}`;

/** The changes by an event for all accounts that have a copy of its subject. */
export function changesOf(event: ChangingEvent): KeptChange[] {
  if ('pageId' in event) return changesOfPage(event);
  const change = changeOf(event);
  return change ? ownersOf(event).map((accountId) => ({ ...change, accountId })) : [];
}

/** The change by an event for its account; undefined when no client can see a difference. */
export function changeOf(event: OwnedEvent): KeptChange | undefined {
  const { accountId } = event;
  switch (event.type) {
    case 'NotificationSent':
      return {
        accountId,
        kind: 'created',
        subjectId: itemOf(event.notificationId),
        projectId: event.projectId ?? '',
        at: event.sentAt,
      };
    case 'EventReceived': {
      const subjectId = itemOf(event.eventId);
      return { accountId, kind: 'created', subjectId, projectId: event.serviceId, at: event.receivedAt };
    }
    case 'NotificationWithdrawn': {
      const subjectId = itemOf(event.notificationId);
      return { accountId, kind: 'updated', subjectId, projectId: null, at: event.withdrawnAt };
    }
    case 'PushReported': {
      if (!/^(anot|evt)_/.test(event.subjectId)) return undefined;
      const subjectId = itemOf(event.subjectId);
      return { accountId, kind: 'updated', subjectId, projectId: null, at: event.reportedAt };
    }
    case 'InboxItemRead':
      return { accountId, kind: 'read', subjectId: event.itemId, projectId: null, at: event.readAt };
    case 'InboxItemUnread':
      return { accountId, kind: 'unread', subjectId: event.itemId, projectId: null, at: event.at };
    case 'InboxItemsRead':
      return { accountId, kind: 'all_read', subjectId: null, projectId: null, at: event.readAt };
    case 'InboxReadThrough': {
      const projectId = event.projectId === undefined ? null : (event.projectId ?? '');
      return { accountId, kind: 'all_read', subjectId: null, projectId, at: event.readAt };
    }
    case 'DeviceRegistered':
      return { ...device(event), at: event.registeredAt };
    case 'DeviceTokensChanged':
      return { ...device(event), at: event.changedAt };
    case 'DeviceDeactivated':
      return { ...device(event), at: event.deactivatedAt };
    case 'InteractionAsked':
      return { ...prompt(event, 'created'), at: event.askedAt };
    case 'InteractionAnswered':
      return { ...prompt(event, 'answered'), at: endOf(event).at };
    case 'InteractionCanceled':
      return { ...prompt(event, 'canceled'), at: endOf(event).at };
    case 'InteractionExpired':
      return { ...prompt(event, 'expired'), at: endOf(event).at };
    case 'ActivityStarted':
      return { ...activity(event, 'started'), at: event.startedAt };
    case 'ActivityUpdated':
      return { ...activity(event, 'updated'), at: event.updatedAt };
    case 'ActivityEnded':
      return { ...activity(event, 'ended'), at: event.endedAt };
    case 'ActivityExpired':
      return { ...activity(event, 'expired'), at: event.expiredAt };
    case 'ActivityFailed':
      return { ...activity(event, 'failed'), at: event.failedAt };
    case 'ActivityPushed':
      // A push that a provider accepts after the start does not change the activity.
      return event.operation === 'start' || event.outcome === 'failed'
        ? { ...activity(event, 'updated'), at: event.pushedAt }
        : undefined;
    default:
      return event satisfies never;
  }
}

/** The changes by an event of a page for all accounts that the page went to. */
function changesOfPage(event: PageChange): KeptChange[] {
  const told = (accountIds: readonly string[], kind: PagesChange['kind'], at: Instant): KeptChange[] =>
    [...new Set(accountIds)].map((accountId) => ({
      accountId,
      kind: `page_${kind}`,
      subjectId: event.pageId,
      projectId: null,
      at,
    }));
  switch (event.type) {
    case 'PageNotified':
      return told(
        event.people.map(({ accountId }) => accountId),
        'notified',
        event.notifiedAt,
      );
    case 'PageAcknowledged':
      return told([...event.notified, event.by], 'acknowledged', event.acknowledgedAt);
    case 'PageWithdrawn':
      return told([event.accountId], 'withdrawn', event.withdrawnAt);
    case 'PageResolved':
      return told(event.notified, 'resolved', event.resolvedAt);
  }
}

const device = ({ accountId, deviceId }: DeviceChange) =>
  ({ accountId, kind: 'device', subjectId: deviceId, projectId: null }) as const;

const prompt = ({ accountId, interactionId }: InteractionEvent, kind: PromptsChange['kind']) =>
  ({ accountId, kind: `prompt_${kind}`, subjectId: interactionId, projectId: null }) as const;

const activity = (
  { accountId, activityId }: ActivityEvent | ActivityPushed,
  kind: ActivitiesChange['kind'],
) => ({ accountId, kind: `activity_${kind}`, subjectId: activityId, projectId: null }) as const;

/** The range of the log that a request for changes after a position can use. */
export interface SeenLog {
  /** Everything up to here has been seen. */
  readonly reached: bigint;
  /** Changes up to here may have been deleted. */
  readonly droppedTo: bigint;
}

const positionForm = /^[0-9]{1,19}$/;

/** The position to continue from; undefined when later changes were dropped, or the position is not one of ours. */
export function resumable(after: string, { reached, droppedTo }: SeenLog): bigint | undefined {
  if (!positionForm.test(after)) return undefined;
  const position = BigInt(after);
  return position <= reached && position >= droppedTo ? position : undefined;
}
