import { EndedRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

/** What a dead letter is about is gone by then: nothing can be recorded of it any more. */
@Injectable()
export class EndedPushRows extends EndedRows {
  protected readonly tables = [{ table: 'dead_letters', endedAt: 'created_at' }];
}
