import {
  type AccountForgotten,
  profileEventTypes,
  type SessionStarted,
  type Streams,
} from '@carillon/contracts';
import { type EventsOf, ignore, ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { forgetBrowsersOf, isFirstSeen } from './browsers.entity';
import { Mails } from './mails.worker';

type Followed = Streams<'mail_link' | 'session' | 'account'>;

/**
 * Enqueues a mail for each link that is requested and for each sign-in from a browser that the account has not used
 * before, in the transaction of its checkpoint: none is lost.
 */
@Injectable()
export class MailsProcess extends Projection<Followed> {
  readonly name = 'mails';
  readonly tables = ['known_browsers'];
  readonly on: On<Followed> = {
    mail_link: {
      MailLinkRequested: (sql, recorded) => this.mails.addLink(sql, recorded.event.linkId, recorded),
      MailLinkUsed: ignore,
    },
    session: {
      SessionStarted: (sql, recorded) => this.signedIn(sql, recorded),
      SessionRefreshed: ignore,
      SessionEnded: ignore,
    },
    account: {
      ...ignoring(...profileEventTypes),
      AccountForgotten: (sql, { event }: Recorded<AccountForgotten>) =>
        forgetBrowsersOf(sql, event.accountId),
    },
  };

  constructor(@Inject(Mails) private readonly mails: Mails) {
    super();
  }

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  /** An app has no mark: each sign-in there is told. */
  private async signedIn(sql: Sql, recorded: Recorded<SessionStarted>): Promise<void> {
    const { event } = recorded;
    const { browserHash, atOpening } = event;
    const isNew = browserHash === undefined || (await isFirstSeen(sql, { ...event, browserHash }));
    if (isNew && !atOpening) await this.mails.addNotice(sql, event, recorded);
  }
}
