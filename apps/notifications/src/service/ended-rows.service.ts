import { EndedRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

/** A sender may have 31 days and a grace of 7. */
const silenceDays = 39;
/** Nothing but the page itself says when it ends: it may be open for as long as something fires. */
const openPageDays = 365;

@Injectable()
export class EndedServiceRows extends EndedRows {
  protected readonly tables = [
    { table: 'deleted_webhooks', endedAt: 'deleted_at' },
    { table: 'service_pages', endedAt: 'paged_at', neededDays: openPageDays },
    { table: 'service_states', endedAt: 'told_at' },
    { table: 'service_gaps', endedAt: 'ended_at', neededDays: silenceDays },
    // Those of services that are deleted: a call may be noted while its service is being deleted.
    { table: 'service_calls', endedAt: 'called_at', neededDays: silenceDays },
  ];
}
