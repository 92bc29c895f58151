import type { Instant } from '@carillon/eventing';
import { uuidV5 } from '@carillon/signing';
import {
  type ApnsPayload,
  apnsAlert,
  apnsWithdrawal,
  type FcmData,
  fcmAlert,
  fcmWithdrawal,
  type Push,
} from '../payload/payload';
import type { PushMessage } from '../transport/transport';
import { clearingOf } from './clearing';

const collapseIdLimit = 64;

/** What makes two pushes the same to a provider. */
export const collapseIdOf = (id: string): string =>
  Buffer.byteLength(id) <= collapseIdLimit ? id : uuidV5('collapse', id);

/** A push as both providers get it; each form is built once for all devices, when the first needs it. */
export class Alert implements PushMessage {
  readonly kind = 'alert';
  readonly urgent = true;
  readonly collapseId: string;
  private forApple: ApnsPayload | undefined;
  private forGoogle: FcmData | undefined;

  constructor(private readonly push: Push) {
    this.collapseId = collapseIdOf(push.id);
  }

  get apns(): ApnsPayload {
    return (this.forApple ??= apnsAlert(this.push));
  }

  get fcm(): FcmData {
    return (this.forGoogle ??= fcmAlert(this.push));
  }
}

/** Tells the app to take what has this id out of the tray. */
export const withdrawal = (id: string, at: Instant): PushMessage => ({
  kind: 'silent',
  urgent: false,
  // Another collapse id than the push's: to a phone that is away it must not be what replaces an alert of the same id.
  collapseId: collapseIdOf(clearingOf(id)),
  apns: apnsWithdrawal(id),
  fcm: fcmWithdrawal(id, at),
});
