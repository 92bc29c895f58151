import { EndedRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class EndedServiceRows extends EndedRows {
  protected readonly tables = [
    { table: 'deleted_webhooks', endedAt: 'deleted_at' },
    { table: 'service_pages', endedAt: 'paged_at' },
    { table: 'service_states', endedAt: 'told_at' },
    { table: 'service_gaps', endedAt: 'ended_at' },
  ];
}
