import { Bus } from '@carillon/bus';
import { Clock, processClock, setting, sharedBus } from '@carillon/runtime';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access/access.guard';
import { Tokens } from './access/tokens';
import { AuditController, auditKeysRow, auditRows } from './audit/audit.controller';
import { AuditExports } from './audit/audit-exports';
import { CalendarController, calendarRow } from './calendar/calendar.controller';
import { clockRow, ClockController } from './clock.controller';
import { DocsController, docsRows } from './docs/docs.controller';
import { ErrorFilter } from './errors/error-filter';
import { HealthController, healthRows } from './health.controller';
import { HookController, hookRow } from './hook/hook.controller';
import { ProviderSignInController, providerSignInRows } from './identity/provider-sign-in.controller';
import { JoinController, joinRow } from './join/join.controller';
import { MailPagesController, mailPageRows } from './mail/mail-pages.controller';
import { McpController, mcpRow } from './mcp/mcp.controller';
import { McpService } from './mcp/mcp.service';
import { RouteCalls } from './mcp/route-calls';
import { authorizationServerRows } from './oauth/authorization-server';
import { OAuthController, oauthRows } from './oauth/oauth.controller';
import { protectedResourceRows } from './oauth/protected-resource';
import { OperatorController, operatorRows } from './operator/operator.controller';
import { Replicas } from './operator/replicas';
import { OpenController, openRow } from './open/open.controller';
import { CommandLineController, commandLineRow } from './command-line/command-line.controller';
import { ConsoleController, consoleRows } from './console/console.controller';
import { OpenapiController, openapiRows } from './openapi/openapi.controller';
import { Pulse } from './pulse';
import { Capacity } from './rate/capacity';
import { Failures } from './rate/failures';
import { PageRateReserve } from './rate/page-rate-reserve';
import { Rates } from './rate/rates';
import { Positions } from './request/positions';
import { StreamController, streamRow } from './stream/stream.controller';
import { Streams } from './stream/streams';
import { Watches } from './stream/watches';
import { agentTable } from './table/agent.table';
import type { Row } from './request/row';
import { sessionTable } from './table/session.table';
import { controllerOf, RouteExecutor } from './table/table.controller';
import { Endings } from './wait/endings';
import { MessagesController, messagesRow } from './wait/messages.controller';
import { WaitController, waitRow } from './wait/wait.controller';
import { Waits } from './wait/waits';

const movableClock = setting('CARILLON_CLOCK', '') === 'manual';

/** Every route of the gateway. */
export const rows: readonly Row[] = [
  ...agentTable,
  ...sessionTable,
  hookRow,
  calendarRow,
  joinRow,
  openRow,
  mcpRow,
  streamRow,
  messagesRow,
  waitRow,
  auditKeysRow,
  ...protectedResourceRows,
  ...authorizationServerRows,
  ...Object.values(oauthRows),
  ...Object.values(auditRows),
  ...Object.values(operatorRows),
  ...Object.values(mailPageRows),
  ...Object.values(providerSignInRows),
  ...Object.values(healthRows),
  ...Object.values(openapiRows),
  commandLineRow,
  ...Object.values(consoleRows),
  ...Object.values(docsRows),
  ...(movableClock ? [clockRow] : []),
];

@Module({
  controllers: [
    controllerOf('AgentApi', agentTable),
    controllerOf('SessionApi', sessionTable),
    controllerOf('WellKnown', [auditKeysRow, ...protectedResourceRows, ...authorizationServerRows]),
    AuditController,
    HookController,
    CalendarController,
    JoinController,
    OAuthController,
    OpenController,
    OperatorController,
    MailPagesController,
    ProviderSignInController,
    McpController,
    StreamController,
    WaitController,
    MessagesController,
    HealthController,
    OpenapiController,
    CommandLineController,
    ConsoleController,
    DocsController,
    ...(movableClock ? [ClockController] : []),
  ],
  providers: [
    { provide: Bus, useFactory: () => sharedBus.take() },
    { provide: Clock, useFactory: processClock },
    { provide: APP_GUARD, useExisting: AccessGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
    AccessGuard,
    AuditExports,
    Capacity,
    RouteCalls,
    RouteExecutor,
    Endings,
    Failures,
    McpService,
    Positions,
    Pulse,
    Rates,
    Replicas,
    PageRateReserve,
    Streams,
    Tokens,
    Waits,
    Watches,
  ],
})
export class GatewayModule implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await sharedBus.release();
  }
}
