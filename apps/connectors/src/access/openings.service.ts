import type { Context } from '@carillon/bus';
import { Log } from '@carillon/event-store';
import { metadataOf } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { appUse, openApp, type AppOpening, useKey } from './opening';

/** Notes when people last opened their apps. */
@Injectable()
export class Openings {
  constructor(@Inject(Log) private readonly log: Log) {}

  async note(opening: AppOpening, context: Context): Promise<void> {
    const key = useKey(opening);
    const { revision } = await this.log.load(appUse, key);
    // Before the first event, so that no stream grows without limit when the process dies in between.
    if (revision === undefined) await this.log.store.setMaxCount(`${appUse.category}-${key}`, 1);
    await this.log.transact(appUse, key, openApp(opening), metadataOf(context));
  }
}
