import type { Context } from '@carillon/bus';
import type { EventMetadata } from '@carillon/eventing';

/** The metadata of events that a request makes. Give `accountId` when the data belongs to another account. */
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
