import { Refused } from '@carillon/eventing';
import { tooMany } from '../errors/api-error';
import { fromRefusal } from '../errors/refusals';

const ofAccount = 2;
const ofAll = 50;
const retrySeconds = 10;

/** Limits the running exports of this gateway: each holds entries in memory and reads up to 50,000 of them. */
export class ExportPermits {
  private readonly held = new Map<string, number>();
  private all = 0;

  /** Takes a permit; returns its release. Refused 429 when the account has its maximum, 503 when all are taken. */
  take(accountId: string): () => void {
    const held = this.held.get(accountId) ?? 0;
    if (held >= ofAccount) throw tooMany(ofAccount, retrySeconds);
    if (this.all >= ofAll) throw fromRefusal(new Refused('bus.unavailable'));
    this.held.set(accountId, held + 1);
    this.all += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.all -= 1;
      const left = (this.held.get(accountId) ?? 1) - 1;
      if (left > 0) this.held.set(accountId, left);
      else this.held.delete(accountId);
    };
  }
}
