import type { Sql } from '@carillon/event-store';
import type { Cause } from './command-queue';
import { RowBatches } from './row-batches';

interface Command {
  readonly accountId: string;
}

/** Changes the rows of deleted accounts in batches; the account is `$1`. */
export abstract class ForgottenRows extends RowBatches<Command> {
  async forget(sql: Sql, accountId: string, from: Cause): Promise<void> {
    await this.begin(sql, { key: accountId, command: { accountId }, from });
  }

  protected valuesOf({ accountId }: Command): readonly unknown[] {
    return [accountId];
  }
}
