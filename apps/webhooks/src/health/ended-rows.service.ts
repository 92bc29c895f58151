import { EndedRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

/** A last attempt may fail after its endpoint was deleted. */
@Injectable()
export class EndedWebhookRows extends EndedRows {
  protected readonly tables = [{ table: 'failing_webhooks', endedAt: 'last_failed_at' }];
}
