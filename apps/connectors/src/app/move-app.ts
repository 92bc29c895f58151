import type { AppEvent } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { type ViewedApp, type Judged, judged } from './access';
import { alone, type AppState, there } from './app';
import { insistOnSought } from './change-app';

/** Refused `app.not_added_by_caller` for other callers, whatever their role. */
export function insistOnAdder({ app, viewer }: Pick<ViewedApp, 'app' | 'viewer'>): void {
  if (app.addedBy !== viewer.accountId) throw new Refused('app.not_added_by_caller');
}

export interface Moving extends Judged {
  readonly teamId: string | null;
  /** The mover's membership in that team. */
  readonly membership: string;
  readonly notify: boolean;
}

/** Moves the app into a team, or back to the account that added it. A move between teams is two events. */
export const moveApp: Decision<AppState, AppEvent, Moving> =
  ({ teamId, membership, notify, ...asked }) =>
  (state) => {
    const app = judged(state, asked);
    const { id: appId, addedBy: accountId, teamId: formerTeamId } = app;
    if (formerTeamId === teamId && app.membership === membership) return [];
    insistOnSought(app, { ...app, teamId }, asked.at);
    const move = { type: 'AppMoved', appId, accountId, by: accountId, movedAt: asked.at } as const;
    const isBack = formerTeamId !== null;
    return [
      ...(isBack ? [{ ...move, formerTeamId, teamId: null, membership: alone, notify: false }] : []),
      ...(teamId === null ? [] : [{ ...move, formerTeamId: null, teamId, membership, notify }]),
    ];
  };

/**
 * Returns the app to the account that added it, once that account has left its team. A later move stays in effect
 * (ADR 35).
 */
export const comeBack: Decision<
  AppState,
  AppEvent,
  { readonly id: string; readonly moves: number; readonly at: Instant }
> =
  ({ id, moves, at }) =>
  (state) => {
    const app = there(state);
    if (app?.id !== id || app.moves !== moves || app.teamId === null) return [];
    const { addedBy: accountId, teamId: formerTeamId } = app;
    return [
      {
        type: 'AppMoved',
        appId: id,
        accountId,
        formerTeamId,
        teamId: null,
        membership: alone,
        by: null,
        notify: false,
        movedAt: at,
      },
    ];
  };
