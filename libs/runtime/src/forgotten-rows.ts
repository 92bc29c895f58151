import type { Sql } from '@carillon/event-store';
import type { Cause } from './command-queue';
import { RowBatches } from './row-batches';

interface Command {
  readonly accountId: string;
  /**
   * The partition whose rows have all that was sent before. The command of another one replaces a command that is being
   * executed, which may not have seen the rows of that partition.
   */
  readonly partition: number;
}

/** Changes the rows of deleted accounts in batches; the account is `$1`. */
export abstract class ForgottenRows extends RowBatches<Command> {
  async forget(sql: Sql, accountId: string, from: Cause): Promise<void> {
    const { partition = 0 } = from.metadata;
    await this.begin(sql, { key: accountId, command: { accountId, partition }, from });
  }

  protected valuesOf({ accountId }: Command): readonly unknown[] {
    return [accountId];
  }
}
