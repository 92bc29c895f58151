import { UnavailableError } from '@eventstore/db-client';
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import { createUUID, parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Expected, NewEvent } from './event-store';
import { framed } from './frames';

/** An append as it is sent to the store. */
export interface AppendRequest {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: Expected;
}

/** The store's acknowledgement of an append; without a position when it no longer knows the events. */
export interface Acknowledged {
  readonly revision: bigint;
  readonly position: bigint | undefined;
}

/** The answer to one append. */
export interface BatchAnswer {
  /** The correlation id of the append. */
  readonly id: string;
  readonly outcome: Acknowledged | Error;
}

/** A larger append goes in several messages: servers limit the size of a message, at 17 MiB or less. */
const messageBytes = 3 * 1024 * 1024;

const utf8 = new TextEncoder();

/** The gRPC frames of an append. */
export function batchFrames(id: string, request: AppendRequest): Buffer {
  const frames: Buffer[] = [];
  let message = new streams.BatchAppendReq();
  message.setOptions(optionsOf(request));
  let bytes = 0;
  const finish = (isFinal: boolean): void => {
    message.setCorrelationId(createUUID(id));
    message.setIsFinal(isFinal);
    frames.push(framed(message.serializeBinary()));
  };
  for (const event of request.events) {
    const [data, metadata] = [json(event.data), json(event.metadata)];
    const size = data.length + metadata.length;
    if (bytes > 0 && bytes + size > messageBytes) {
      finish(false);
      message = new streams.BatchAppendReq();
      bytes = 0;
    }
    bytes += size;
    const proposed = new streams.BatchAppendReq.ProposedMessage();
    proposed.setId(createUUID(event.id));
    proposed.getMetadataMap().set('type', event.type).set('content-type', 'application/json');
    proposed.setData(data);
    proposed.setCustomMetadata(metadata);
    message.addProposedMessages(proposed);
  }
  finish(true);
  return Buffer.concat(frames);
}

/** The answer in a message of the server. Errors are those of the official client. */
export function batchAnswer(bytes: Uint8Array): BatchAnswer {
  const response = streams.BatchAppendResp.deserializeBinary(bytes);
  const id = parseUUID(response.getCorrelationId()) ?? '';
  const success = response.getSuccess();
  if (success) {
    const position = success.getPosition()?.getCommitPosition();
    return {
      id,
      outcome: {
        revision: BigInt(success.getCurrentRevision()),
        position: position === undefined ? undefined : BigInt(position),
      },
    };
  }
  const error = response.getError();
  if (!error) throw new Error('An answer of the event store says neither success nor error');
  // The server is starting, too busy or without a leader, and did not take the append. The official client does not
  // know this answer.
  if (error.getDetails()?.getTypeName() === 'google.protobuf.Empty')
    return { id, outcome: new UnavailableError(undefined, error.getMessage()) };
  const stream = Buffer.from(response.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
  return { id, outcome: unpackToCommandError(error, stream) };
}

const json = (part: unknown): Uint8Array => utf8.encode(JSON.stringify(part));

/** Without a deadline, which servers compare with their own clock: they have a time limit for writes themselves. */
function optionsOf({ stream, expected }: AppendRequest): Options {
  const options = new streams.BatchAppendReq.Options();
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(utf8.encode(stream));
  options.setStreamIdentifier(identifier);
  if (expected === 'any') options.setAny(new empty.Empty());
  else if (expected === 'no_stream') options.setNoStream(new empty.Empty());
  else options.setStreamPosition(String(expected));
  return options;
}

type Options = InstanceType<(typeof streams.BatchAppendReq)['Options']>;
