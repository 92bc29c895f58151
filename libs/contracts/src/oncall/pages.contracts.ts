import {
  About,
  bool,
  count,
  id,
  Id,
  Int,
  Label,
  Link,
  list,
  ListOf,
  nullable,
  Nullable,
  oneOf,
  OneOf,
  oneOfKnown,
  Optional,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
  WhenAsked,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { AppSummary } from '../app-summary';
import { type ListPage, ListQuery } from '../list-page';
import { OncallPerson } from './oncall.contracts';

export const pageStatuses = ['triggered', 'acknowledged', 'resolved'] as const;
export type PageStatus = (typeof pageStatuses)[number];

export const pageSources = ['api', 'mcp', 'cli', 'console', 'notification', 'connector', 'service'] as const;
/** The means by which a page was triggered. */
export type PageSource = (typeof pageSources)[number];

export const OncallPage = resource(
  'OncallPage',
  {
    id: id('page'),
    groupId: id('ocg'),
    groupName: text('As the group was called when it was paged.'),
    teamId: id('team'),
    title: text(),
    body: nullable(text()),
    url: nullable(uri('Where a tap leads.')),
    app: nullable(AppSummary),
    status: oneOf(pageStatuses, '`triggered` and `acknowledged` are open.'),
    dedupKey: nullable(text()),
    repeatCount: count('How many more pages with its key it has absorbed.'),
    notified: list(OncallPerson, 'In the order in which it went to them.'),
    escalationStep: count('How many steps of the escalation have run.'),
    nextEscalationAt: nullable(when('Null when it goes no further.')),
    acknowledgedBy: nullable(OncallPerson),
    acknowledgedAt: nullable(when()),
    resolvedBy: nullable(OncallPerson),
    resolvedAt: nullable(when()),
    source: oneOfKnown(pageSources),
    createdAt: when(),
  },
  'What calls people who are on call, one after the other, until one of them takes it over.',
);
export type OncallPage = Static<typeof OncallPage>;

export const OncallPageCreated = resource('OncallPageCreated', {
  page: OncallPage,
  deduplicated: bool('True when an open page with the same key has absorbed it.'),
  accepted: count('Devices whose push provider has accepted it by the time of the answer.'),
});
export type OncallPageCreated = Static<typeof OncallPageCreated>;

export class TriggerPage {
  @Id('ocg') groupId!: string;
  @Text(1, 120) title!: string;
  @Optional() @Nullable() @Text(1, 4000, { multiline: true }) body?: string | null;
  @About('Where a tap leads.') @Optional() @Nullable() @Link('tap') url?: string | null;
  @About('The web app that a tap opens.') @Optional() @Id('app') appId?: string;
  @About(
    'While a page of the group with this key is open, it absorbs all others. `Idempotency-Key` unless said.',
  )
  @Optional()
  @Label(255)
  dedupKey?: string;
}

/** A page that another service raises for the caller, or for a team that it acts for. */
export class RaisePage extends TriggerPage {
  @OneOf(pageSources) source!: PageSource;
}

export class PageById {
  @Id('page') id!: string;
}

export class ResolvePage extends PageById {
  @About('For the audit log.') @Optional() @Text(1, 500) note?: string;
}

export class EscalatePage extends PageById {
  @About(
    'The `escalationStep` that the person saw: when somebody else has escalated it since, they meant the same and nothing more runs.',
  )
  @Optional()
  @Int(0, 10)
  escalationStep?: number;
}

export class ListPages extends ListQuery {
  @Id('team') id!: string;
  @Optional()
  @ListOf(OneOf.rule(pageStatuses), { min: 1, max: pageStatuses.length })
  status?: PageStatus[];
  @Optional() @Id('ocg') groupId?: string;
  @About('Not made before this.') @Optional() @WhenAsked() from?: string;
  @About('Made before this.') @Optional() @WhenAsked() to?: string;
}

/** The rate limit of an account's pages per minute. */
export const pageReserve = (accountId: string) => ({ key: `pages:${accountId}`, windowSeconds: 60 });

export const Pages = {
  trigger: answers(OncallPageCreated)(
    'teams.page.trigger',
    TriggerPage,
    ['oncall_group.unknown', 'app.not_found', 'page.too_many'],
    'always',
  ),
  /** As `trigger`, for a group named in a body. */
  raise: answers(OncallPageCreated)(
    'teams.page.raise',
    RaisePage,
    ['oncall_group.not_found', 'app.not_found', 'page.too_many'],
    'always',
  ),
  get: answers(OncallPage)('teams.page.get', PageById, ['page.unknown'], 'always'),
  list: answers<ListPage<OncallPage>>()(
    'teams.page.list',
    ListPages,
    ['team.unknown', 'list.invalid_cursor'],
    'always',
  ),
  acknowledge: answers(OncallPage)(
    'teams.page.acknowledge',
    PageById,
    ['page.unknown', 'page.already_resolved', 'session.required'],
    'always',
  ),
  escalate: answers(OncallPage)(
    'teams.page.escalate',
    EscalatePage,
    [
      'page.unknown',
      'page.already_resolved',
      'page.already_acknowledged',
      'page.no_further_escalation',
      'session.required',
    ],
    'always',
  ),
  /** For services: resolves a page whose cause is over. */
  recover: answers(Ok)('teams.page.recover', PageById, ['page.unknown'], 'always'),
  resolve: answers(OncallPage)('teams.page.resolve', ResolvePage, ['page.unknown'], 'always'),
};
