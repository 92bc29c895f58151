import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EdgeRequest } from './row';

const kept = 20_000;

/**
 * The newest log position that each account has written through this gateway, so that it reads its own writes. The
 * account with the oldest write is evicted first, however often it reads: its rows have long caught up.
 */
@Injectable()
export class Positions {
  private readonly newest = new LRUCache<string, bigint>({ max: kept });

  advance(accountId: string, position: string): void {
    const next = BigInt(position);
    const known = this.newest.peek(accountId);
    if (known === undefined || known < next) this.newest.set(accountId, next);
  }

  /** The newer of the position known here and the one that the caller brings. */
  of(accountId: string, brought?: string): string | undefined {
    const known = this.newest.peek(accountId);
    if (brought === undefined) return known?.toString();
    const other = BigInt(brought);
    return String(known !== undefined && known > other ? known : other);
  }

  /** Sets the position that the caller's next read must have reached in the headers of the answer. */
  tell({ reply }: Pick<EdgeRequest, 'reply'>, accountId: string, brought?: string): void {
    const newest = this.of(accountId, brought);
    if (newest !== undefined) void reply.header('carillon-position', newest);
  }
}
