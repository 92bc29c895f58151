import type { AppEvent } from '@carillon/contracts';
import type { Decider, Instant } from '@carillon/eventing';

/** Null before the app was added. A removed app never returns under its id. */
export type AppState = App | 'removed' | null;

export interface App {
  readonly id: string;
  /** The account that added the app: the only one that may move it, and its owner without a team. */
  readonly addedBy: string;
  readonly name: string;
  readonly url: string;
  readonly origin: string;
  readonly iconUrl: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  /** The team that the app was moved into, and the membership of `addedBy` in it at that time. */
  readonly teamId: string | null;
  readonly membership: string;
  /** The number of moves so far. */
  readonly moves: number;
  /** The urlKey that the app has requested. */
  readonly claiming: { readonly urlKey: string; readonly at: Instant } | null;
  /** By person; `consentOf` decides which of them count. */
  readonly consents: Readonly<Record<string, Consent>>;
  readonly addedAt: Instant;
  readonly updatedAt: Instant;
}

/** A person has agreed to be signed in, and what the app is told of them. */
export interface Consent {
  readonly shareName: boolean;
  readonly shareEmail: boolean;
  /** The person's membership in the app's team at that time. */
  readonly membership: string;
  readonly at: Instant;
}

/** The membership value of an app without a team. */
export const alone = '-';

export const app: Decider<AppState, AppEvent> = {
  category: 'app',
  initial: null,
  evolve(state, event) {
    if (event.type === 'AppAdded')
      return {
        id: event.appId,
        addedBy: event.accountId,
        ...displayFields(event),
        iconUrl: event.iconUrl,
        projectId: event.projectId,
        projectName: event.projectName,
        teamId: null,
        membership: alone,
        moves: 0,
        claiming: null,
        consents: {},
        addedAt: event.addedAt,
        updatedAt: event.addedAt,
      };
    return state === null || state === 'removed' ? state : evolveApp(state, event);
  },
  personal: {
    AppAdded: ['name', 'url', 'origin', 'iconUrl', 'projectName'],
    AppUrlClaimRequested: [],
    AppChanged: ['name', 'url', 'origin', 'iconUrl', 'projectName', 'former'],
    AppMoved: [],
    AppRemoved: ['former'],
    ConsentGiven: [],
    DisclosureChanged: [],
    ConsentRevoked: [],
  },
};

/** A field whose key is gone shows as empty. */
const displayFields = ({
  name,
  url,
  origin,
}: Readonly<Record<'name' | 'url' | 'origin', string | null>>): Pick<App, 'name' | 'url' | 'origin'> => ({
  name: name ?? '',
  url: url ?? '',
  origin: origin ?? '',
});

type Later = Exclude<AppEvent, { readonly type: 'AppAdded' }>;

function evolveApp(state: App, event: Later): AppState {
  switch (event.type) {
    case 'AppUrlClaimRequested':
      return { ...state, claiming: { urlKey: event.urlKey, at: event.requestedAt } };
    case 'AppChanged': {
      const { name, url, origin, iconUrl, projectId, projectName } = event;
      const isElsewhere = origin !== undefined && origin !== state.origin;
      return {
        ...state,
        ...(name !== undefined && { name: name ?? '' }),
        ...(url !== undefined && { url: url ?? '', claiming: null }),
        ...(origin !== undefined && { origin: origin ?? '' }),
        ...(iconUrl !== undefined && { iconUrl }),
        ...(projectId !== undefined && { projectId }),
        ...(projectName !== undefined && { projectName }),
        ...(isElsewhere && { consents: {} }),
        updatedAt: event.changedAt,
      };
    }
    case 'AppMoved': {
      const { by, teamId, membership, movedAt } = event;
      const kept = by === null ? undefined : state.consents[by];
      return {
        ...state,
        teamId,
        membership,
        moves: state.moves + 1,
        claiming: null,
        consents: by === null || !kept ? {} : { [by]: { ...kept, membership } },
        updatedAt: movedAt,
      };
    }
    case 'AppRemoved':
      return 'removed';
    case 'ConsentGiven': {
      const { userId, shareName, shareEmail, membership, givenAt } = event;
      const given: Consent = { shareName, shareEmail, membership, at: givenAt };
      return { ...state, consents: { ...state.consents, [userId]: given } };
    }
    case 'DisclosureChanged': {
      const { userId, shareName, shareEmail } = event;
      const former = state.consents[userId];
      if (!former) return state;
      return { ...state, consents: { ...state.consents, [userId]: { ...former, shareName, shareEmail } } };
    }
    case 'ConsentRevoked': {
      const { [event.userId]: _revoked, ...others } = state.consents;
      return { ...state, consents: others };
    }
  }
}

/** The app; undefined before it was added and after it was removed. */
export const there = (state: AppState): App | undefined =>
  state === null || state === 'removed' ? undefined : state;
