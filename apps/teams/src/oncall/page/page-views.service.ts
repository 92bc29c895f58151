import type { Context } from '@carillon/bus';
import type { OncallPage } from '@carillon/contracts';
import { WebAppViews } from '@carillon/web-app-views';
import { Inject, Injectable } from '@nestjs/common';
import { People } from '../../person/people.service';
import type { OncallPageFacts } from './page';
import { peopleIn, pageView } from './view';

/** Views of pages, with the names of people, and of web apps that the caller can open. */
@Injectable()
export class PageViews {
  constructor(
    @Inject(People) private readonly people: People,
    @Inject(WebAppViews) private readonly apps: WebAppViews,
  ) {}

  async one(page: OncallPageFacts, context: Context): Promise<OncallPage> {
    const show = await this.showing([page], context);
    return show(page);
  }

  async all(pages: readonly OncallPageFacts[], context: Context): Promise<OncallPage[]> {
    return pages.map(await this.showing(pages, context));
  }

  private async showing(
    pages: readonly OncallPageFacts[],
    { caller, after }: Context,
  ): Promise<(page: OncallPageFacts) => OncallPage> {
    const personOf = await this.people.of([...new Set(pages.flatMap(peopleIn))], after);
    const appIds = pages.map(({ appId }) => appId);
    const appOf = await this.apps.seenBy(caller.accountId, appIds, after);
    return (page) => pageView(page, personOf, appOf(page.appId));
  }
}
