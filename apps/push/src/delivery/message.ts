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
import { webAlert, type WebMessage, webReplacement } from '../payload/web';
import type { PushMessage } from '../transport/transport';
import { clearingOf } from './clearing';

const collapseIdLimit = 64;

/** The address of the console, where a tap on a browser's notification leads. */
export const consoleUrlOf = (baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}/console/`;

/** The id by which a provider recognizes two pushes as the same. */
export const collapseIdOf = (id: string): string =>
  Buffer.byteLength(id) <= collapseIdLimit ? id : uuidV5('collapse', id);

/** A push in the formats of all providers; each format is built once for all devices, when it is first needed. */
export class Alert implements PushMessage {
  readonly kind = 'alert';
  readonly urgent = true;
  readonly collapseId: string;
  private forApple: ApnsPayload | undefined;
  private forGoogle: FcmData | undefined;
  private forBrowsers: WebMessage | undefined;

  constructor(
    private readonly push: Push,
    private readonly consoleUrl: string,
  ) {
    this.collapseId = collapseIdOf(push.id);
  }

  get apns(): ApnsPayload {
    return (this.forApple ??= apnsAlert(this.push));
  }

  get fcm(): FcmData {
    return (this.forGoogle ??= fcmAlert(this.push));
  }

  get web(): WebMessage {
    return (this.forBrowsers ??= webAlert(this.push, this.consoleUrl));
  }
}

/** Tells the app to remove the notification with this id from the tray. A browser shows the title in its place. */
export const withdrawal = (id: string, at: Instant, title: string, consoleUrl: string): PushMessage => ({
  kind: 'silent',
  urgent: false,
  // The collapse id differs from the push's: for an offline phone, the withdrawal must not replace an alert with the
  // same id.
  collapseId: collapseIdOf(clearingOf(id)),
  apns: apnsWithdrawal(id),
  fcm: fcmWithdrawal(id, at),
  web: webReplacement(id, title, consoleUrl),
});
