import type { Streams } from '@carillon/contracts';
import { type EventsOf, ignore, type On, Projection } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { Mails } from './mails.worker';

type Followed = Streams<'mail_link'>;

/** Enqueues a mail for each link that is requested, in the transaction of its checkpoint: none is lost. */
@Injectable()
export class MailsProcess extends Projection<Followed> {
  readonly name = 'mails';
  readonly tables = [];
  readonly on: On<Followed> = {
    mail_link: {
      MailLinkRequested: (sql, recorded) => this.mails.add(sql, recorded.event.linkId, recorded),
      MailLinkUsed: ignore,
    },
  };

  constructor(@Inject(Mails) private readonly mails: Mails) {
    super();
  }

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }
}
