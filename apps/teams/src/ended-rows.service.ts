import { EndedRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class EndedTeamRows extends EndedRows {
  protected readonly tables = [
    // Not partitioned by their creation: a page that nobody resolves is open for longer than anything is kept.
    { table: 'pages', endedAt: 'resolved_at' },
    { table: 'gone_from_teams', endedAt: 'gone_at' },
  ];
}
