import {
  About,
  bool,
  Bool,
  id,
  Id,
  Link,
  nullable,
  Nullable,
  object,
  Optional,
  resource,
  Slug,
  type Static,
  text,
  Text,
  uri,
  when,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { AppSummary } from '../app-summary';
import { type ListPage, ListQuery } from '../list-page';

const TeamSummary = resource('TeamSummary', { id: id('team'), name: text() });

export const App = resource(
  'App',
  {
    ...AppSummary.properties,
    storageScope: text(
      'What a browser keeps of it belongs to this; when it changes, nothing of it is used any more.',
    ),
    url: uri(),
    projectId: nullable(text()),
    projectName: nullable(text()),
    shareName: bool('Whether the app is told the name of the account that asks.'),
    shareEmail: bool('Whether it is told the address.'),
    consentedAt: nullable(when('When the account has agreed to be signed in.')),
    lastOpenedAt: nullable(when()),
    createdBy: nullable(id('usr')),
    createdAt: when(),
    updatedAt: when(),
    team: nullable(TeamSummary),
    addedBy: nullable(id('usr')),
  },
  'A web app, of the account or of a team.',
);
export type App = Static<typeof App>;

export class AddApp {
  @Text(1, 80) name!: string;
  @Link('https') url!: string;
  @Optional() @Nullable() @Link('https') iconUrl?: string | null;
  @Optional() @Nullable() @Slug() projectId?: string | null;
  @Optional() @Nullable() @Text(1, 80) projectName?: string | null;
}

export class AppById {
  @Id('app') id!: string;
}

export class ChangeApp {
  @Id('app') id!: string;
  @Optional() @Text(1, 80) name?: string;
  @About('Another origin ends every consent and every session.') @Optional() @Link('https') url?: string;
  @Optional() @Nullable() @Link('https') iconUrl?: string | null;
  @Optional() @Nullable() @Slug() projectId?: string | null;
  @Optional() @Nullable() @Text(1, 80) projectName?: string | null;
}

export class ShareApp {
  @Id('app') id!: string;
  @About('The team or family that gets it; null for the own apps of the account.')
  @Nullable()
  @Id('team')
  teamId!: string | null;
  @About('Whether the others in the team are told; true unless said.') @Optional() @Bool() notify?: boolean;
}

export class ListApps extends ListQuery {
  @About('Those of this team only; `none` for those of no team.') @Optional() @Id('team') teamId?: string;
  @Optional() @Slug() projectId?: string;
}

export class ListTeamApps extends ListQuery {
  @Id('team') id!: string;
}

/** The app, and whether it already existed. */
export interface AddedApp {
  app: App;
  created: boolean;
}

const OneApp = object({ app: App });

export const Apps = {
  /** For other services: the app, if the caller can open it. */
  visible: answers<AppSummary>()('connectors.app.visible', AppById, ['app.not_found'], 'always'),
  ofTeam: answers<ListPage<App>>()(
    'connectors.app.of-team',
    ListTeamApps,
    ['team.unknown', 'list.invalid_cursor'],
    'always',
  ),
  add: answers<AddedApp>()('connectors.app.add', AddApp, ['resource.limit_reached']),
  list: answers<ListPage<App>>()('connectors.app.list', ListApps, ['list.invalid_cursor'], 'always'),
  get: answers(OneApp)('connectors.app.get', AppById, ['app.unknown'], 'always'),
  change: answers(OneApp)('connectors.app.change', ChangeApp, [
    'app.unknown',
    'team.forbidden_role',
    'app.url_taken',
  ]),
  remove: answers(Ok)('connectors.app.remove', AppById, ['app.unknown', 'team.forbidden_role']),
  /** Revokes the caller's consent. */
  revoke: answers(OneApp)('connectors.app.revoke', AppById, ['app.unknown']),
  share: answers(OneApp)('connectors.app.share', ShareApp, [
    'app.unknown',
    'app.not_added_by_caller',
    'team.not_found',
    'app.url_taken',
  ]),
};
