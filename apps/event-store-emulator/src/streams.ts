import {
  Metadata,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerDuplexStream,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { messageOf } from './failure';
import type { EmulatorAccess } from './access';
import { revisionExpected, type Expected } from './expected';
import { StreamsService, type streams } from './protocol';
import type { Append, Delete, WriteOutcome } from './writes';
import { orderOf, serve, type ReadWriter } from './reads';
import {
  appendSize,
  decodeAppend,
  decodeBatchAppend,
  decodeDelete,
  isUuid,
  whatIsWrongWithEvent,
  whatIsWrongWithExpected,
  whatIsWrongWithStream,
  type AppendMessage,
  type AppendOptions,
  type BatchAppendMessage,
  type DeleteMessage,
  type Proposed,
  type Target,
} from './requests';
import {
  appendSuccess,
  appendWrongVersion,
  batchAppendFailure,
  batchAppendSuccess,
  deleted,
  refusal,
  type Failure,
} from './responses';
import type { Store } from './store';

type ReadReq = InstanceType<(typeof streams)['ReadReq']>;

const asIs = (bytes: Buffer) => bytes;

/** Bytes that are no message of the kind that was expected. */
class Malformed {
  constructor(readonly failure: Failure) {}
}

/** gRPC answers a decoder's error in its own way; the server answers it as something that it did not expect. */
const decoding =
  <T>(decode: (bytes: Buffer) => T) =>
  (bytes: Buffer): T | Malformed => {
    try {
      return decode(bytes);
    } catch (cause) {
      return new Malformed({ failure: 'unknown', message: messageOf(cause) });
    }
  };

/** The Streams service with its hot messages encoded and decoded by hand. */
export const definition = {
  read: {
    ...StreamsService.read,
    requestDeserialize: decoding<ReadReq>((bytes) => StreamsService.read.requestDeserialize(bytes)),
    responseSerialize: asIs,
  },
  append: { ...StreamsService.append, requestDeserialize: decoding(decodeAppend), responseSerialize: asIs },
  delete: { ...StreamsService.delete, requestDeserialize: decoding(decodeDelete), responseSerialize: asIs },
  tombstone: {
    ...StreamsService.tombstone,
    requestDeserialize: decoding(decodeDelete),
    responseSerialize: asIs,
  },
  batchAppend: {
    ...StreamsService.batchAppend,
    requestDeserialize: decoding(decodeBatchAppend),
    responseSerialize: asIs,
  },
};

/** Calls that stay open, to be ended when the server closes. */
export class OpenCalls {
  private readonly enders = new Set<() => void>();

  add(end: () => void): () => void {
    this.enders.add(end);
    return () => this.enders.delete(end);
  }

  endAll(): void {
    for (const end of [...this.enders]) end();
  }
}

/** An error as gRPC sends it. */
export function error(failure: Failure) {
  const { code, details, trailers } = refusal(failure);
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

function failureOf(
  outcome: Exclude<WriteOutcome, { outcome: 'success' }>,
  stream: string,
  expected: Expected,
): Failure {
  switch (outcome.outcome) {
    case 'wrong-expected-version':
      return { failure: 'wrong-expected-version', stream, expected, current: outcome.current };
    case 'stream-deleted':
      return { failure: 'stream-deleted', stream };
    case 'deadline-exceeded':
      return { failure: 'deadline-exceeded' };
    case 'unavailable':
      return { failure: 'unavailable' };
    case 'failed':
      return { failure: 'unknown', message: outcome.message };
  }
}

interface CheckedAppend {
  stream: string;
  expected: Expected;
}

/** What is wrong with a stream and an expectation, in the order in which the server looks; or both, checked. */
function check({ stream, expected }: Target): CheckedAppend | Failure {
  if (expected === undefined)
    return { failure: 'invalid-argument', message: 'nothing is said about the expected revision' };
  const wrong = whatIsWrongWithExpected(expected) ?? whatIsWrongWithStream(stream);
  return wrong === undefined ? { stream, expected } : { failure: 'unknown', message: wrong };
}

const failed = <T extends object>(checked: T | Failure): checked is Failure => 'failure' in checked;

const milliseconds = (deadline: Date | number) =>
  typeof deadline === 'number' ? deadline : deadline.getTime();

export interface StreamsOptions {
  store: Store;
  access: EmulatorAccess;
  calls: OpenCalls;
  maxAppendSize: number;
}

/** The Streams service. */
export function streamsService({
  store,
  access,
  calls,
  maxAppendSize,
}: StreamsOptions): UntypedServiceImplementation {
  const read: handleServerStreamingCall<ReadReq | Malformed, Buffer> = (call) => {
    const refuse = (failure: Failure) => void call.emit('error', error(failure));
    const denied = access.check(call.metadata);
    if (denied) return refuse(denied);
    const order =
      call.request instanceof Malformed ? call.request.failure : orderOf(call.request.getOptions());
    if (failed(order)) return refuse(order);
    const writer = writerOf(call);
    const forget = calls.add(() => {
      writer.close();
      refuse({ failure: 'unavailable' });
    });
    serve(store.reader, order, writer)
      .catch((cause: Error): Failure => ({ failure: 'unknown', message: cause.message }))
      .then((failure) => {
        if (writer.signal.aborted) return;
        if (failure) refuse(failure);
        else call.end();
      })
      .finally(() => {
        writer.close();
        forget();
      });
  };

  /** A call with one answer, given once: by its handler, or by the server that stops. */
  const answerOnce = (done: (failure: Error | null, answer?: Buffer) => void) => {
    let answered = false;
    const answer = (failure: Failure | undefined, bytes?: () => Buffer) => {
      if (answered) return;
      const encoded = failure ? undefined : bytes!();
      answered = true;
      forget();
      done(failure ? error(failure) : null, encoded);
    };
    const forget = calls.add(() => answer({ failure: 'unavailable' }));
    return { answer, isAnswered: () => answered };
  };

  const append: handleClientStreamingCall<AppendMessage | Malformed, Buffer> = (call, done) => {
    const denied = access.check(call.metadata);
    if (denied) return done(error(denied));
    const { answer, isAnswered } = answerOnce(done);
    call.on('cancelled', () => answer({ failure: 'unavailable' }));
    const deadline = milliseconds(call.getDeadline());
    let target: CheckedAppend | undefined;
    let size = 0;
    const events: Proposed[] = [];
    const take = (message: AppendMessage): Failure | undefined => {
      if (!target) {
        if (!message.options)
          return { failure: 'unknown', message: 'the first message of an append has no options' };
        const checked = check(message.options);
        if (failed(checked)) return checked;
        target = checked;
        return undefined;
      }
      if (!message.event) return { failure: 'unknown', message: 'a message of an append has no event' };
      const failure = failureOfEvent(message.event);
      if (failure) return failure;
      size += appendSize(message.event);
      if (size > maxAppendSize) return { failure: 'maximum-append-size-exceeded', limit: maxAppendSize };
      events.push(message.event);
      return undefined;
    };
    call.on('data', (message: AppendMessage | Malformed) => {
      if (isAnswered()) return;
      const failure = message instanceof Malformed ? message.failure : take(message);
      if (failure) answer(failure);
    });
    call.on('end', () => {
      if (isAnswered()) return;
      if (!target) return answer({ failure: 'unknown', message: 'the append has no options' });
      const { stream, expected } = target;
      store.submit({
        kind: 'append',
        stream,
        expected: revisionExpected(expected),
        events,
        deadline,
        done: (outcome) => {
          if (outcome.outcome === 'success')
            answer(undefined, () => appendSuccess(outcome.revision, outcome.position));
          else if (outcome.outcome === 'wrong-expected-version')
            answer(undefined, () => appendWrongVersion(expected, outcome.current));
          else answer(failureOf(outcome, stream, expected));
        },
      });
    });
  };

  const end =
    (kind: Delete['kind']): handleUnaryCall<DeleteMessage | Malformed, Buffer> =>
    (call, done) => {
      const denied = access.check(call.metadata);
      if (denied) return done(error(denied));
      const { request } = call;
      if (request instanceof Malformed) return done(error(request.failure));
      if (!request.options) return done(error({ failure: 'unknown', message: `the ${kind} has no options` }));
      const checked = check(request.options);
      if (failed(checked)) return done(error(checked));
      const { stream, expected } = checked;
      const { answer } = answerOnce(done);
      store.submit({
        kind,
        stream,
        expected: revisionExpected(expected),
        deadline: milliseconds(call.getDeadline()),
        done: (outcome) =>
          outcome.outcome === 'success'
            ? answer(undefined, () => deleted(outcome.position))
            : answer(failureOf(outcome, stream, expected)),
      });
    };

  const batchAppend: handleBidiStreamingCall<BatchAppendMessage | Malformed, Buffer> = (call) =>
    new BatchAppendCall(call, { store, access, calls, maxAppendSize }).start();

  return { read, append, delete: end('delete'), tombstone: end('tombstone'), batchAppend };
}

function failureOfEvent(event: Proposed): Failure | undefined {
  if (event.missing.length > 0) return { failure: 'required-metadata-missing', missing: event.missing };
  const wrong = whatIsWrongWithEvent(event);
  return wrong === undefined ? undefined : { failure: 'unknown', message: wrong };
}

interface PendingAppend extends CheckedAppend {
  deadline: number;
  events: Proposed[];
  size: number;
}

/** One client's stream of appends. Every append gets one answer: a second one would crash that client. */
class BatchAppendCall {
  /** Appends whose last message has not come yet. */
  private readonly pending = new Map<string, PendingAppend>();
  private open = true;
  private unanswered = 0;
  private ended = false;

  constructor(
    private readonly call: ServerDuplexStream<BatchAppendMessage | Malformed, Buffer>,
    private readonly options: StreamsOptions,
  ) {}

  start(): void {
    const { call, options } = this;
    const denied = options.access.check(call.metadata);
    if (denied?.failure === 'not-authenticated') return void call.emit('error', error(denied));
    const refuse = (failure: Failure) => {
      if (!this.open) return;
      this.open = false;
      call.emit('error', error(failure));
    };
    const forget = options.calls.add(() => refuse({ failure: 'unavailable' }));
    const gone = () => {
      this.open = false;
      this.pending.clear();
      forget();
    };
    call.on('cancelled', gone);
    call.on('close', gone);
    call.on('error', gone);
    call.on('data', (message: BatchAppendMessage | Malformed) => {
      if (message instanceof Malformed) refuse(message.failure);
      else if (this.open) this.take(message, denied);
    });
    call.on('end', () => {
      this.ended = true;
      this.endWhenAnswered();
    });
  }

  private take(message: BatchAppendMessage, denied: Failure | undefined): void {
    const { correlation, correlationId, options } = message;
    const { store, maxAppendSize } = this.options;
    let pending = this.pending.get(correlationId);
    if (options) {
      const begun = isUuid(correlationId)
        ? this.begin(options, pending, denied)
        : ({ failure: 'unknown', message: 'the correlation id is no UUID' } as const);
      if (failed(begun)) return this.fail(correlation, options.stream, begun);
      pending = begun;
      if (!message.isFinal) this.pending.set(correlationId, pending);
    }
    // The rest of an append that was refused already.
    if (!pending) return;
    const { stream, expected, deadline } = pending;
    for (const event of message.events) {
      const failure = failureOfEvent(event);
      pending.size += appendSize(event);
      if (!failure && pending.size <= maxAppendSize) {
        pending.events.push(event);
        continue;
      }
      this.pending.delete(correlationId);
      return this.fail(
        correlation,
        stream,
        failure ?? { failure: 'maximum-append-size-exceeded', limit: maxAppendSize },
      );
    }
    if (!message.isFinal) return;
    this.pending.delete(correlationId);
    this.unanswered++;
    const order: Append = {
      kind: 'append',
      stream,
      expected: revisionExpected(expected),
      events: pending.events,
      deadline,
      done: (outcome) => {
        if (outcome.outcome === 'success')
          this.answer(batchAppendSuccess(correlation, stream, outcome.revision, outcome.position));
        // The end of the whole stream tells the client; what became of this append it cannot know.
        else if (outcome.outcome === 'unavailable') this.options.calls.endAll();
        else this.fail(correlation, stream, failureOf(outcome, stream, expected));
        this.unanswered--;
        this.endWhenAnswered();
      },
    };
    store.submit(order);
  }

  /** Options that come again change nothing, as long as they could be the first. */
  private begin(
    options: AppendOptions,
    pending: PendingAppend | undefined,
    denied: Failure | undefined,
  ): PendingAppend | Failure {
    if (denied) return denied;
    if (options.deadline <= Date.now()) return { failure: 'deadline-exceeded' };
    if (pending) return pending;
    const checked = check(options);
    return failed(checked) ? checked : { ...checked, deadline: options.deadline, events: [], size: 0 };
  }

  private fail(correlation: Buffer, stream: string, failure: Failure): void {
    this.answer(batchAppendFailure(correlation, stream, failure));
  }

  private answer(bytes: Buffer): void {
    if (this.open) this.call.write(bytes);
  }

  private endWhenAnswered(): void {
    if (this.ended && this.unanswered === 0 && this.open) this.call.end();
  }
}

/** A call as a writer with backpressure. */
function writerOf(call: ServerWritableStream<ReadReq | Malformed, Buffer>): ReadWriter & { close(): void } {
  const controller = new AbortController();
  let waiting: (() => void) | undefined;
  const go = () => {
    waiting?.();
    waiting = undefined;
  };
  const close = () => {
    controller.abort();
    go();
  };
  call.on('drain', go);
  call.on('cancelled', close);
  call.on('close', close);
  call.on('error', close);
  return {
    signal: controller.signal,
    send: (bytes) => controller.signal.aborted || call.write(bytes),
    drained: () =>
      controller.signal.aborted || !call.writableNeedDrain
        ? Promise.resolve()
        : new Promise((resolve) => (waiting = resolve)),
    close,
  };
}
