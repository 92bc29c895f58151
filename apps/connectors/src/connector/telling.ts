import type { ConnectorEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { type ConnectorState, ofConnector } from './connector';

/** The next step of telling an on-call group about a connector. */
export type OutageStep =
  | { readonly what: 'page'; readonly outage: number; readonly groupId: string; readonly teamId: string }
  | { readonly what: 'resolve'; readonly outage: number; readonly pageId: string; readonly teamId: string };

/**
 * Outages are handled one after the other: page, then resolve once the outage is over, then the next outage. An outage
 * that ended before its page was noted is paged too: a replica may have created the page and died before noting it.
 */
export function nextStep(state: ConnectorState): OutageStep | undefined {
  const [first] = state?.untold ?? [];
  if (!first) return undefined;
  const { outage, oncall, pageId, isOver } = first;
  if (pageId === null) return { what: 'page', outage, ...oncall };
  return isOver ? { what: 'resolve', outage, pageId, teamId: oncall.teamId } : undefined;
}

export const notePage: Decision<
  ConnectorState,
  ConnectorEvent,
  { readonly outage: number; readonly pageId: string | null; readonly at: Instant }
> =
  ({ outage, pageId, at }) =>
  (state) => {
    const step = nextStep(state);
    return state && step?.what === 'page' && step.outage === outage
      ? [{ type: 'ConnectorPaged', ...ofConnector(state), outage, pageId, pagedAt: at }]
      : [];
  };

export const noteResolved: Decision<
  ConnectorState,
  ConnectorEvent,
  { readonly outage: number; readonly at: Instant }
> =
  ({ outage, at }) =>
  (state) => {
    const step = nextStep(state);
    return state && step?.what === 'resolve' && step.outage === outage
      ? [
          {
            type: 'ConnectorPageResolved',
            ...ofConnector(state),
            outage,
            pageId: step.pageId,
            resolvedAt: at,
          },
        ]
      : [];
  };
