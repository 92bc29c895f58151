import { Log } from '@carillon/event-store';
import { LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { board, type Board, cutOf } from '../board/board';

/** Keeps boards short. */
@Injectable()
export class Boards {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Cuts off what a board trails. Nobody waits for that. */
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
