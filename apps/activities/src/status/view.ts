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
import { countsOf, isRunning, type DerivedStatus, statusAt } from './derived-status';

/** The fields of an activity that do not depend on its phones. */
export interface ActivityRecord {
  readonly activityId: string;
  readonly key: string | null;
  /** Null when the account's key, and with it the text, was deleted. */
  readonly props: ActivityProps | null;
  readonly prompt: ActivityPrompt | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant;
}

/** The API view of the activity. Without a report from push, the readiness is derived from the outcomes. */
export function activityView(
  { activityId, key, props, prompt, createdAt, updatedAt, expiresAt }: ActivityRecord,
  stands: DerivedStatus,
  readiness: LaneReadiness | undefined,
  at: Instant,
): LiveActivity {
  const now = statusAt(stands, expiresAt, at);
  return {
    id: activityId,
    key,
    props: propsView(props, prompt),
    status: now.status,
    sequence: now.sequence,
    ...countsOf(now),
    expiresAt,
    createdAt,
    updatedAt,
    endedAt: now.endedAt,
    readiness: readiness ? readinessView(readiness) : readinessOf(now),
  };
}

function propsView(props: ActivityProps | null, prompt: ActivityPrompt | null): LiveActivityProps {
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

const readinessView = ({
  ready,
  queuedStarts,
  awaitingUpdateToken,
  warnings,
  nextStartAt,
}: LaneReadiness): Readiness => ({ ready, queuedStarts, awaitingUpdateToken, warnings, nextStartAt });

function readinessOf({ status, instances }: DerivedStatus): Readiness {
  const states = isRunning(status) ? Object.values(instances).map(({ state }) => state) : [];
  return {
    ready: states.filter((state) => state === 'started').length,
    queuedStarts: states.filter((state) => state === 'starting').length,
    awaitingUpdateToken: 0,
    warnings: [],
    nextStartAt: null,
  };
}
