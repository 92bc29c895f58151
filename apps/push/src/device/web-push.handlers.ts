import { answer, type Answer, Handles } from '@carillon/bus';
import { Push, type WebPushOffReason } from '@carillon/contracts';
import { setting } from '@carillon/runtime';
import { KeyRing } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { vapidKeyOf, webPushSubject } from '../transport/vapid';

/** Tells browsers the key to subscribe with. */
@Controller()
export class WebPushHandlers {
  private readonly shown: { key: string | null; reason?: WebPushOffReason };

  constructor(@Inject(KeyRing) ring: KeyRing) {
    const subject = webPushSubject(setting('CARILLON_WEB_PUSH_SUBJECT', ''));
    this.shown =
      subject.subject === null
        ? { key: null, reason: subject.reason }
        : { key: vapidKeyOf(ring, ring.newest)?.publicKey ?? null };
  }

  @Handles(Push.webPushKey)
  key(): Promise<Answer<{ key: string | null; reason?: WebPushOffReason }>> {
    return Promise.resolve(answer(this.shown));
  }
}
