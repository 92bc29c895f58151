import { Injectable } from '@nestjs/common';

const kept = 20_000;

/** The newest log position that each account has caused here, so that it reads its own writes. */
@Injectable()
export class Positions {
  private readonly newest = new Map<string, bigint>();

  advance(accountId: string, position: string): void {
    const next = BigInt(position);
    const known = this.newest.get(accountId);
    if (known !== undefined && known >= next) return;
    this.newest.delete(accountId);
    this.newest.set(accountId, next);
    if (this.newest.size > kept) this.newest.delete(this.newest.keys().next().value as string);
  }

  /** The newer of what is known here and what the caller brings. */
  of(accountId: string, brought?: string): string | undefined {
    const known = this.newest.get(accountId);
    if (brought === undefined) return known?.toString();
    const other = BigInt(brought);
    return String(known !== undefined && known > other ? known : other);
  }
}
