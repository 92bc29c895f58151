import { type ActivityPrompt, type ActivityProps } from '@carillon/contracts';
import { instant } from '@carillon/eventing';
import { cut } from '@carillon/schema';
import { type ApnsPayload, type FcmData, payloadLimit } from '../payload/payload';
import { questionOf } from '../payload/question';
import type { PushMessage } from '../transport/transport';
import type { LaneOperation } from './lane';

/** The content of an activity at one moment. */
export interface Content {
  readonly props: ActivityProps;
  readonly prompt: ActivityPrompt | null;
  /** The choices that a prompt offers for its reply. */
  readonly choices: readonly string[];
}

export interface Showing {
  readonly activityId: string;
  readonly content: Content;
  /** Without a sound, for the quiet hours of the device. */
  readonly isSilent: boolean;
  readonly operation: LaneOperation;
  /** The increasing number by which the phone orders pushes. */
  readonly sequence: number;
  /** The timestamp by which iOS orders pushes, in whole seconds. */
  readonly timestamp: number;
  readonly expiresAtMs: number;
  readonly atMs: number;
  /** The phone's app supports buttons in activities. */
  readonly isInteractive: boolean;
}

/** The activity type of our app. */
const attributesType = 'CarillonActivity';
const alertTitleLimit = 100;
const alertBodyLimit = 240;
const relevance = { prompt: 100, waiting: 75, usual: 50 } as const;

/** The content that the phone draws: always complete, without empty fields. */
type Drawn = Readonly<Record<string, unknown>>;

interface Button {
  readonly id: string;
  readonly label: string;
}

/** The link to answer in our app, for a phone without buttons. */
const promptAddress = (id: string): string => `carillon://prompts/${id}`;

/** The parts dropped from a push that is too large, in this order. The app can fetch them by the id. */
const cuts = ['choices', 'image', 'lines', 'steps', 'detail', 'buttons'] as const;
type Cut = (typeof cuts)[number];

/** An operation of an activity in the formats of both providers. */
export class ActivityMessage implements PushMessage {
  readonly kind = 'activity';
  readonly urgent: boolean;

  constructor(private readonly showing: Showing) {
    this.urgent = showing.operation.priority === 10;
  }

  get apns(): ApnsPayload {
    return fitted((left) => apnsActivity(this.showing, left), bytesOfJson);
  }

  get fcm(): FcmData {
    return fitted((left) => fcmActivity(this.showing, left), bytesOfData);
  }
}

function apnsActivity(showing: Showing, left: ReadonlySet<Cut>): ApnsPayload {
  const { activityId, operation, timestamp, content, expiresAtMs } = showing;
  const { kind, dismissAtMs } = operation;
  const usual = content.props.state === 'waiting' ? relevance.waiting : relevance.usual;
  return {
    aps: {
      timestamp,
      event: kind,
      'content-state': drawn(showing, left),
      'relevance-score': content.prompt ? relevance.prompt : usual,
      ...(kind === 'end'
        ? dismissAtMs !== null && { 'dismissal-date': Math.floor(dismissAtMs / 1000) }
        : // Without an update token the phone never receives the end.
          { 'stale-date': Math.floor(expiresAtMs / 1000) }),
      ...(kind === 'start' && {
        'attributes-type': attributesType,
        attributes: { activityId },
        // A start without an alert is not shown; from iOS 18 on `input-push-token` asks for the update token.
        alert: alertOf(showing, left),
        'input-push-token': 1,
      }),
    },
    carillon: { type: 'activity' },
  };
}

/** Data only, as all pushes for Android: the app shows an ongoing notification and ignores older pushes. */
function fcmActivity(showing: Showing, left: ReadonlySet<Cut>): FcmData {
  const { activityId, operation, sequence, expiresAtMs, atMs, isSilent } = showing;
  const { kind, dismissAtMs } = operation;
  const expiresAt = instant(expiresAtMs);
  return {
    type: 'activity',
    event: kind,
    activityId,
    seq: String(sequence),
    contentState: JSON.stringify(drawn(showing, left)),
    sentAt: instant(atMs),
    ...(isSilent && { silent: 'true' }),
    ...(kind === 'end' ? dismissAtMs !== null && { dismissAt: instant(dismissAtMs) } : { expiresAt }),
  };
}

function drawn(showing: Showing, left: ReadonlySet<Cut>): Drawn {
  const { content, sequence } = showing;
  const { props } = content;
  const prompt = left.has('buttons') ? null : buttonsOf(showing, left.has('choices'));
  const address = content.prompt && prompt === null ? addressOf(showing) : props.url;
  const shown: Drawn = {
    ...props,
    url: address,
    ...(left.has('image') && { imageUrl: null }),
    ...(left.has('lines') && { lines: null }),
    ...(left.has('steps') && { steps: null }),
    ...(left.has('detail') && { detail: null }),
  };
  return {
    ...Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)),
    sequence,
    // A phone that receives no prompt removes the buttons.
    ...(content.prompt && { prompt }),
  };
}

/**
 * The prompt with its buttons; null for an ended activity, and for an app without support for buttons in activities.
 */
function buttonsOf({ content, operation, isInteractive }: Showing, isShort: boolean): Drawn | null {
  const { prompt, choices } = content;
  if (!prompt || !isInteractive || operation.kind === 'end') return null;
  const { id, kind, actionDigest, primaryLabel, secondaryLabel } = prompt;
  const { actions } = questionOf({
    kind,
    primaryLabel,
    secondaryLabel,
    choices: isShort ? [] : choices,
    actionDigest,
  });
  const buttons = actions.map((action): Button =>
    typeof action === 'string' ? { id: action, label: action } : action,
  );
  return { id, kind, actions: buttons, actionDigest };
}

const addressOf = ({ content, operation }: Showing): string | null =>
  content.prompt && operation.kind !== 'end' ? promptAddress(content.prompt.id) : content.props.url;

function alertOf(
  { content: { props, prompt }, isSilent }: Showing,
  left: ReadonlySet<Cut>,
): Readonly<Record<string, string>> {
  const text = props.detail ?? props.subtitle ?? props.status ?? '';
  return {
    title: cut(props.title, alertTitleLimit),
    body: left.size > 0 ? '' : cut(text, alertBodyLimit),
    // A prompt rings, since its sender waits for the answer.
    ...(prompt && !isSilent && { sound: 'default' }),
  };
}

/** The payload with as few parts dropped as necessary; the first cut also drops the alert's text. */
function fitted<Payload>(
  build: (left: ReadonlySet<Cut>) => Payload,
  sizeOf: (payload: Payload) => number,
): Payload {
  const left = new Set<Cut>();
  for (const next of cuts) {
    const payload = build(left);
    if (sizeOf(payload) <= payloadLimit) return payload;
    left.add(next);
  }
  return build(left);
}

const bytesOfJson = (payload: ApnsPayload): number => Buffer.byteLength(JSON.stringify(payload));

const bytesOfData = (data: FcmData): number =>
  Object.entries(data).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
