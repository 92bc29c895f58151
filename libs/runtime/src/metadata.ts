import type { Context } from '@carillon/bus';
import type { EventMetadata } from '@carillon/eventing';

/** What is stored beside the events that answer a request. `accountId` when the data is another account's. */
export const metadataOf = (context: Context, accountId = context.caller.accountId): EventMetadata => ({
  commandId: context.commandId,
  correlationId: context.correlationId,
  accountId,
  actor: {
    accountId: context.caller.accountId,
    ...(context.caller.tokenId && { tokenId: context.caller.tokenId }),
    ...(context.caller.sessionId && { sessionId: context.caller.sessionId }),
    ...(context.caller.process && { process: context.caller.process }),
  },
  ...(context.caller.origin && { origin: context.caller.origin }),
  ...(context.traceparent && { traceparent: context.traceparent }),
});
