import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { constants } from 'node:http2';
import type { RawEvent } from './event-store';
import { framed, Messages } from './frames';
import { readMessage } from './read-message';
import { errorOf, isComplete, type StoreSession } from './session';
import { TookTooLong } from './within';

/** Which events of a stream. */
export interface StreamOrder {
  readonly stream: string;
  readonly from: bigint | 'end';
  readonly backwards?: boolean;
  readonly count?: number;
}

/**
 * The events of a stream, over a connection of our own: none where there is no such stream. The official client takes
 * two to three times of the processor for it, and whoever follows sealed events reads a stream for each key. Rejects
 * with the errors of the official client, and with `TookTooLong` after a silence of so many milliseconds.
 */
export function readStream(
  session: StoreSession,
  order: StreamOrder,
  silenceMs: number,
): Promise<RawEvent[]> {
  return new Promise((resolve, reject) => {
    const events: RawEvent[] = [];
    const messages = new Messages();
    const leave = (error: unknown): void => {
      clearTimeout(timer);
      reject(error);
      call.close(constants.NGHTTP2_CANCEL);
    };
    const call = session.call('Read', {}, (end) => {
      clearTimeout(timer);
      if (isComplete(end)) resolve(events);
      else reject(errorOf(end));
    });
    const timer = setTimeout(() => leave(new TookTooLong()), silenceMs);
    call.on('data', (chunk: Buffer) => {
      timer.refresh();
      try {
        for (const message of messages.in(chunk).map(readMessage))
          if (typeof message === 'object') events.push(message);
      } catch (error) {
        leave(new Error('The event store sent what cannot be read', { cause: error }));
      }
    });
    call.end(framed(readRequest(order)));
  });
}

/** The request of a read, as the official client makes it. */
function readRequest({ stream, from, backwards = false, count }: StreamOrder): Uint8Array {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  const inStream = new streams.ReadReq.Options.StreamOptions();
  inStream.setStreamIdentifier(name);
  if (from === 'end') inStream.setEnd(new shared.Empty());
  else inStream.setRevision(String(from));
  const ids = new streams.ReadReq.Options.UUIDOption();
  ids.setString(new shared.Empty());
  const options = new streams.ReadReq.Options();
  options.setStream(inStream);
  options.setCount(String(count ?? Number.MAX_SAFE_INTEGER));
  options.setUuidOption(ids);
  options.setNoFilter(new shared.Empty());
  options.setReadDirection(backwards ? 1 : 0);
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request.serializeBinary();
}
