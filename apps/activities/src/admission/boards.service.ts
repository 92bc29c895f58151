import { Log } from '@carillon/event-store';
import { LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { board, type Board, cutOf } from '../board/board';

/** Truncates the streams of boards. */
@Injectable()
export class Boards {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Truncates the obsolete events of a board, in the background. */
  tidy(accountId: string, { state, revision }: { readonly state: Board; readonly revision: bigint }): void {
    const cut = cutOf(state, revision);
    if (cut === undefined) return;
    this.log.store
      .truncateBefore(`${board.category}-${accountId}`, cut)
      .catch((error: unknown) =>
        this.logger.warn(
          { err: error },
          'Failed to truncate the stream of an activity board: the next count tries again',
        ),
      );
  }
}
