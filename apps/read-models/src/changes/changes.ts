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

/** What belongs to an account, and changes something for it. */
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

/** A change as it is kept, beside its position in the log. */
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

/** How long changes are kept, for those who come back and ask what they missed. */
export const keptForMs = 24 * 60 * 60 * 1000;

/** Who missed more than this reads everything anew: that is cheaper, and nobody looks at each of them. */
export const maxMissed = 500;

/** The inbox's name for what was pushed. */
const itemOf = (subjectId: string): string =>
  `${subjectId.startsWith('evt_') ? 'event' : 'notification'}:${subjectId}`;

/** What an event changes for all the accounts that have what it is about as their own. */
export function changesOf(event: ChangingEvent): KeptChange[] {
  if ('pageId' in event) return changesOfPage(event);
  const change = changeOf(event);
  return change ? ownersOf(event).map((accountId) => ({ ...change, accountId })) : [];
}

/** What an event changes for its account, as far as somebody who looks on could see it; nothing when that is nothing. */
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
      // What a provider takes after the start does not change how the activity stands.
      return event.operation === 'start' || event.outcome === 'failed'
        ? { ...activity(event, 'updated'), at: event.pushedAt }
        : undefined;
    default:
      return event satisfies never;
  }
}

/** What an event of a page changes for everybody whom the page has gone to. */
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

/** What is known of the log when somebody asks what came after a position. */
export interface SeenLog {
  /** Everything up to here has been seen. */
  readonly reached: bigint;
  /** Changes up to here may have been thrown away. */
  readonly droppedTo: bigint;
}

const positionForm = /^[0-9]{1,19}$/;

/** The position to go on from; nothing when what came after it is not known, or it never was one of ours. */
export function resumable(after: string, { reached, droppedTo }: SeenLog): bigint | undefined {
  if (!positionForm.test(after)) return undefined;
  const position = BigInt(after);
  return position <= reached && position >= droppedTo ? position : undefined;
}
