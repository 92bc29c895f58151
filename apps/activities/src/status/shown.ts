import {
  type ActivityPrompt,
  type ActivityProps,
  forgottenProps,
  type LaneReadiness,
  type LiveActivity,
  type LiveActivityProps,
  type Readiness,
} from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { countsOf, isRunning, type Standing, standingAt } from './standing';

/** What of an activity does not come from the phones. */
export interface Kept {
  readonly activityId: string;
  readonly key: string | null;
  /** Null when the account's key is gone, and the text with it. */
  readonly props: ActivityProps | null;
  readonly prompt: ActivityPrompt | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant;
}

/** The activity as the API shows it. Without word from push, the readiness is what the outcomes tell. */
export function shown(
  { activityId, key, props, prompt, createdAt, updatedAt, expiresAt }: Kept,
  stands: Standing,
  readiness: LaneReadiness | undefined,
  at: Instant,
): LiveActivity {
  const now = standingAt(stands, expiresAt, at);
  return {
    id: activityId,
    key,
    props: shownProps(props, prompt),
    status: now.status,
    sequence: now.sequence,
    ...countsOf(now),
    expiresAt,
    createdAt,
    updatedAt,
    endedAt: now.endedAt,
    readiness: readiness ? shownReadiness(readiness) : readinessOf(now),
  };
}

function shownProps(props: ActivityProps | null, prompt: ActivityPrompt | null): LiveActivityProps {
  const { title, subtitle, status, detail, progress, layout, state, icon, accentColor, steps, lines } =
    props ?? forgottenProps;
  const { startedAt, endsAt, imageUrl, url } = props ?? forgottenProps;
  return {
    title,
    subtitle,
    status,
    detail,
    progress,
    layout,
    state,
    icon,
    accentColor,
    steps: steps && steps.map((step) => ({ label: step.label, state: step.state })),
    lines: lines && [...lines],
    startedAt,
    endsAt,
    imageUrl,
    url,
    ...(prompt && {
      interaction: {
        id: prompt.id,
        kind: prompt.kind,
        primaryLabel: prompt.primaryLabel,
        secondaryLabel: prompt.secondaryLabel,
      },
    }),
  };
}

const shownReadiness = ({
  ready,
  queuedStarts,
  awaitingUpdateToken,
  warnings,
  nextStartAt,
}: LaneReadiness): Readiness => ({ ready, queuedStarts, awaitingUpdateToken, warnings, nextStartAt });

function readinessOf({ status, instances }: Standing): Readiness {
  const states = isRunning(status) ? Object.values(instances).map(({ state }) => state) : [];
  return {
    ready: states.filter((state) => state === 'started').length,
    queuedStarts: states.filter((state) => state === 'starting').length,
    awaitingUpdateToken: 0,
    warnings: [],
    nextStartAt: null,
  };
}
