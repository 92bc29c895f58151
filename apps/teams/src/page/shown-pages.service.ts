import type { Context } from '@carillon/bus';
import type { OncallPage } from '@carillon/contracts';
import { ShownApps } from '@carillon/shown-apps';
import { Inject, Injectable } from '@nestjs/common';
import { People } from '../person/people.service';
import type { Page } from './page';
import { peopleIn, shownPage } from './shown';

/** Pages with the names of the people in them, and of the web apps that who asks can open. */
@Injectable()
export class ShownPages {
  constructor(
    @Inject(People) private readonly people: People,
    @Inject(ShownApps) private readonly apps: ShownApps,
  ) {}

  async one(page: Page, context: Context): Promise<OncallPage> {
    const show = await this.showing([page], context);
    return show(page);
  }

  async all(pages: readonly Page[], context: Context): Promise<OncallPage[]> {
    return pages.map(await this.showing(pages, context));
  }

  private async showing(
    pages: readonly Page[],
    { caller, after }: Context,
  ): Promise<(page: Page) => OncallPage> {
    const personOf = await this.people.of([...new Set(pages.flatMap(peopleIn))], after);
    const appIds = pages.map(({ appId }) => appId);
    const appOf = await this.apps.seenBy(caller.accountId, appIds, after);
    return (page) => shownPage(page, personOf, appOf(page.appId));
  }
}
