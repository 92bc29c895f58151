import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { type Service, service } from './service';

/** Finds services by the secrets of their URLs. */
@Injectable()
export class HookServices {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /**
   * The service whose URL has this secret now. The row only tells which stream to read: the log decides, so that a
   * replaced URL is refused even when the rows are behind.
   */
  async behind(hash: string): Promise<Service> {
    const row = await this.projections.find('services', async () => {
      const [found] = await this.database.query<{ service_id: string }>(
        `SELECT service_id FROM services WHERE hook_hash = $1`,
        [hash],
      );
      return found;
    });
    const found = row && (await this.log.load(service, streamTail(row.service_id))).state;
    if (found?.hookHash !== hash) throw new Refused('hook.not_found');
    return found;
  }
}
