import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { AccessProcess } from './access/access.process';
import { ConsentHandlers } from './access/consent.handlers';
import { EndedAccess } from './access/ended-access.worker';
import { GrantHandlers } from './access/grant.handlers';
import { OpeningsProjection } from './access/openings.projection';
import { Openings } from './access/openings.service';
import { PassHandlers } from './access/pass.handlers';
import { People } from './access/people.client';
import { AppAddHandlers } from './app/app-add.handlers';
import { AppAccess } from './app/app-access.service';
import { AppUrlClaims } from './app/app-url-claims.service';
import { AppReturnCommands } from './app/app-return-commands.worker';
import { AppReturns } from './app/app-returns.service';
import { AppQuotas } from './app/app-quotas.service';
import { AppsProjection } from './app/apps.projection';
import { AppChangeHandlers } from './app/app-change.handlers';
import { ListedApps } from './app/listed-apps.service';
import { MoveNotices } from './app/move-notices.worker';
import { AppReadHandlers } from './app/app-read.handlers';
import { AppViews } from './app/app-views.service';
import { AppTeams } from './app/teams.client';
import { CallbackHandlers } from './callback/callback.handlers';
import { ConnectorAccess } from './connector/connector-access.service';
import { ConnectorChangeHandlers } from './connector/connector-change.handlers';
import { ConnectorReadHandlers } from './connector/connector-read.handlers';
import { ConnectorHandlers } from './connector/connector.handlers';
import { ConnectorsProjection } from './connector/connectors.projection';
import { HeartbeatHandlers } from './connector/heartbeat.handlers';
import { Heartbeats } from './connector/heartbeats.service';
import { Hostnames } from './connector/hostnames.service';
import { Listening } from './connector/listening.service';
import { OutagesProcess } from './connector/outages.process';
import { ServedApps } from './connector/served-apps.service';
import { Teams } from './connector/teams.client';
import { Tellings } from './connector/tellings.worker';
import { TiesProcess } from './connector/ties.process';
import { EndedTies } from './connector/ties.worker';
import { Watches } from './connector/watches.worker';
import { firstRelease } from './migrations/1-first-release';

@Module({
  imports: [
    ServiceModule.for({
      name: 'connectors',
      migrations: [firstRelease],
      projections: [
        AppsProjection,
        OpeningsProjection,
        AccessProcess,
        ConnectorsProjection,
        OutagesProcess,
        TiesProcess,
      ],
      queues: [AppReturnCommands, MoveNotices, EndedAccess, Watches, Tellings, EndedTies],
      providers: [
        AppUrlClaims,
        AppReturns,
        AppTeams,
        ConnectorAccess,
        Heartbeats,
        Hostnames,
        Listening,
        Teams,
      ],
    }),
  ],
  controllers: [
    AppAddHandlers,
    AppChangeHandlers,
    AppReadHandlers,
    ConnectorHandlers,
    ConnectorChangeHandlers,
    ConnectorReadHandlers,
    HeartbeatHandlers,
    CallbackHandlers,
    ConsentHandlers,
    PassHandlers,
    GrantHandlers,
  ],
  providers: [AppAccess, AppQuotas, ListedApps, AppViews, Openings, People, ServedApps],
})
export class ConnectorsModule {}
