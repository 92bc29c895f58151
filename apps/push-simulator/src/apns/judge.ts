import type { IncomingHttpHeaders } from 'node:http2';
import type { Environment, Phone } from '../phone/phone.js';
import type { TokenOwner } from '../phone/phones.js';
import { checkHeaders, isRefusal, type checkPayload, type PushHeaders, type ApnsRefusal } from './request.js';

/** What of a request is judged. */
export interface ApnsRequest {
  headers: IncomingHttpHeaders;
  rawHeaders: readonly string[];
  /** Why the request addresses no token; undefined when it does. */
  untargeted: ApnsRefusal | undefined;
  /** Why its provider token is not taken; undefined when it is. */
  unauthorized: ApnsRefusal | undefined;
  payload: ReturnType<typeof checkPayload>;
  /** Whose token it addresses. */
  owner: TokenOwner | undefined;
}

/** A push that APNs takes. */
export interface ApnsAccepted {
  headers: PushHeaders;
  payload: Record<string, unknown>;
  owner: TokenOwner;
}

/** The phone behind a token, if it is one that APNs knows. */
export const iphoneOf = (owner: TokenOwner | undefined): Phone | undefined =>
  owner?.phone.platform === 'ios' ? owner.phone : undefined;

/** Judges a push as APNs does. The first check that fails gives the reason. */
export function judge(
  { headers, rawHeaders, untargeted, unauthorized, payload, owner }: ApnsRequest,
  listener: { environment: Environment; bundleIds: ReadonlySet<string> },
): ApnsAccepted | ApnsRefusal {
  if (untargeted) return untargeted;
  if (unauthorized) return unauthorized;
  const accepted = checkHeaders(headers, rawHeaders, listener.bundleIds);
  if (isRefusal(accepted)) return accepted;
  // A token of the other environment, or of no phone, is unknown here: APNs does not tell the two apart.
  if (!owner || iphoneOf(owner)?.environment !== listener.environment)
    return { status: 400, reason: 'BadDeviceToken' };
  if (owner.phone.bundleId !== accepted.bundleId) return { status: 400, reason: 'DeviceTokenNotForTopic' };
  if (owner.deadSince !== undefined)
    return { status: 410, reason: owner.deadReason ?? 'Unregistered', timestamp: owner.deadSince };
  // Activity tokens and device tokens are for topics of their own.
  if ((accepted.pushType === 'liveactivity') !== (owner.kind !== 'alert'))
    return { status: 400, reason: 'DeviceTokenNotForTopic' };
  if (isRefusal(payload)) return payload;
  return { headers: accepted, payload: payload.payload, owner };
}
