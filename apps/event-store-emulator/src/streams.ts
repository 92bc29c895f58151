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
import type { Access } from './access';
import { StreamsService, type streams } from './generated';
import { isMetastream } from './metadata';
import { orderOf, serve, type Outlet } from './reads';
import {
  appendSize,
  decodeAppend,
  decodeBatchAppend,
  decodeDelete,
  whatIsWrongWithEvent,
  whatIsWrongWithStream,
  type AppendMessage,
  type AppendOptions,
  type BatchAppendMessage,
  type Proposed,
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
import type { Append, Delete, Outcome, Store } from './store';

type ReadReq = InstanceType<(typeof streams)['ReadReq']>;

const asIs = (bytes: Buffer) => bytes;

/** The Streams service with its hot messages encoded and decoded by hand. */
export const definition = {
  read: { ...StreamsService.read, responseSerialize: asIs },
  append: { ...StreamsService.append, requestDeserialize: decodeAppend, responseSerialize: asIs },
  delete: { ...StreamsService.delete, requestDeserialize: decodeDelete, responseSerialize: asIs },
  tombstone: { ...StreamsService.tombstone, requestDeserialize: decodeDelete, responseSerialize: asIs },
  batchAppend: {
    ...StreamsService.batchAppend,
    requestDeserialize: decodeBatchAppend,
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

function error(failure: Failure) {
  const { code, details, trailers } = refusal(failure);
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

function failureOf(
  outcome: Exclude<Outcome, { outcome: 'success' }>,
  stream: string,
  expected: number,
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
  }
}

const milliseconds = (deadline: Date | number) =>
  typeof deadline === 'number' ? deadline : deadline.getTime();

export interface StreamsOptions {
  store: Store;
  access: Access;
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
  const read: handleServerStreamingCall<ReadReq, Buffer> = (call) => {
    const denied = access.check(call.metadata);
    if (denied) return void call.emit('error', error(denied));
    const order = orderOf(call.request.getOptions());
    if (typeof order === 'string')
      return void call.emit('error', error({ failure: 'bad-request', message: order }));
    const outlet = outletOf(call);
    const forget = calls.add(() => {
      outlet.close();
      call.emit('error', error({ failure: 'unavailable' }));
    });
    serve(store, order, outlet)
      .then(
        (failure) => {
          if (outlet.signal.aborted) return;
          if (failure) call.emit('error', error(failure));
          else call.end();
        },
        (cause: Error) => {
          if (!outlet.signal.aborted)
            call.emit('error', Object.assign(new Error(cause.message), { code: 13, details: cause.message }));
        },
      )
      .finally(() => {
        outlet.close();
        forget();
      });
  };

  const append: handleClientStreamingCall<AppendMessage, Buffer> = (call, done) => {
    const denied = access.check(call.metadata);
    if (denied) return done(error(denied));
    const deadline = milliseconds(call.getDeadline());
    let options: AppendMessage['options'];
    let refused = false;
    let size = 0;
    const events: Proposed[] = [];
    const refuse = (failure: Failure) => {
      refused = true;
      done(error(failure));
    };
    call.on('data', (message: AppendMessage) => {
      if (refused) return;
      if (message.options) {
        options = message.options;
        const wrong = whatIsWrongWithStream(options.stream);
        if (wrong) return refuse({ failure: 'bad-request', message: wrong });
      }
      if (!message.event) return;
      const failure = failureOfEvent(message.event);
      if (failure) return refuse(failure);
      size += appendSize(message.event);
      if (size > maxAppendSize)
        return refuse({ failure: 'maximum-append-size-exceeded', limit: maxAppendSize });
      events.push(message.event);
    });
    call.on('end', () => {
      if (refused) return;
      if (!options) return refuse({ failure: 'bad-request', message: 'the append has no options' });
      if (call.cancelled) return;
      const { stream, expected } = options;
      store.submit({
        kind: 'append',
        stream,
        expected,
        events,
        deadline,
        done: (outcome) => {
          if (outcome.outcome === 'success') done(null, appendSuccess(outcome.revision, outcome.position));
          else if (outcome.outcome === 'wrong-expected-version')
            done(null, appendWrongVersion(expected, outcome.current));
          else done(error(failureOf(outcome, stream, expected)));
        },
      });
    });
  };

  const end =
    (kind: Delete['kind']): handleUnaryCall<{ stream: string; expected: number }, Buffer> =>
    (call, done) => {
      const denied = access.check(call.metadata);
      if (denied) return done(error(denied));
      const { stream, expected } = call.request;
      const wrong =
        whatIsWrongWithStream(stream) ??
        (isMetastream(stream) ? 'a metastream is not deleted here' : undefined);
      if (wrong) return done(error({ failure: 'bad-request', message: wrong }));
      store.submit({
        kind,
        stream,
        expected,
        deadline: milliseconds(call.getDeadline()),
        done: (outcome) =>
          outcome.outcome === 'success'
            ? done(null, deleted(outcome.position))
            : done(error(failureOf(outcome, stream, expected))),
      });
    };

  const batchAppend: handleBidiStreamingCall<BatchAppendMessage, Buffer> = (call) =>
    new BatchAppendCall(call, { store, access, calls, maxAppendSize }).start();

  return { read, append, delete: end('delete'), tombstone: end('tombstone'), batchAppend };
}

function failureOfEvent(event: Proposed): Failure | undefined {
  if (event.missing.length > 0) return { failure: 'required-metadata-missing', missing: event.missing };
  const wrong = whatIsWrongWithEvent(event);
  return wrong === undefined ? undefined : { failure: 'bad-request', message: wrong };
}

interface PendingAppend {
  options: AppendOptions;
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
    private readonly call: ServerDuplexStream<BatchAppendMessage, Buffer>,
    private readonly options: StreamsOptions,
  ) {}

  start(): void {
    const { call, options } = this;
    const denied = options.access.check(call.metadata);
    if (denied?.failure === 'not-authenticated') return void call.emit('error', error(denied));
    const forget = options.calls.add(() => {
      if (!this.open) return;
      this.open = false;
      call.emit('error', error({ failure: 'unavailable' }));
    });
    const gone = () => {
      this.open = false;
      this.pending.clear();
      forget();
    };
    call.on('cancelled', gone);
    call.on('close', gone);
    call.on('error', gone);
    call.on('data', (message: BatchAppendMessage) => this.take(message, denied));
    call.on('end', () => {
      this.ended = true;
      this.endWhenAnswered();
    });
  }

  private take(message: BatchAppendMessage, denied: Failure | undefined): void {
    const { correlation, correlationKey, options } = message;
    const { store, maxAppendSize } = this.options;
    let pending = this.pending.get(correlationKey);
    if (options) {
      pending = { options, events: [], size: 0 };
      const wrong = whatIsWrongWithStream(options.stream);
      const failure = denied ?? (wrong ? { failure: 'bad-request' as const, message: wrong } : undefined);
      if (failure) return this.fail(correlation, options, failure);
      if (!message.isFinal) this.pending.set(correlationKey, pending);
    }
    // The rest of an append that was refused already.
    if (!pending) return;
    for (const event of message.events) {
      const failure = failureOfEvent(event);
      pending.size += appendSize(event);
      if (!failure && pending.size <= maxAppendSize) {
        pending.events.push(event);
        continue;
      }
      this.pending.delete(correlationKey);
      return this.fail(
        correlation,
        pending.options,
        failure ?? { failure: 'maximum-append-size-exceeded', limit: maxAppendSize },
      );
    }
    if (!message.isFinal) return;
    this.pending.delete(correlationKey);
    const { stream, expected, deadline } = pending.options;
    this.unanswered++;
    const order: Append = {
      kind: 'append',
      stream,
      expected,
      events: pending.events,
      deadline,
      done: (outcome) => {
        this.unanswered--;
        if (outcome.outcome === 'success')
          this.answer(batchAppendSuccess(correlation, stream, expected, outcome.revision, outcome.position));
        // The end of the whole stream tells the client; what became of this append it cannot know.
        else if (outcome.outcome === 'unavailable') this.options.calls.endAll();
        else
          this.answer(
            batchAppendFailure(correlation, stream, expected, failureOf(outcome, stream, expected)),
          );
        this.endWhenAnswered();
      },
    };
    store.submit(order);
  }

  private fail(correlation: Buffer, { stream, expected }: AppendOptions, failure: Failure): void {
    this.answer(batchAppendFailure(correlation, stream, expected, failure));
  }

  private answer(bytes: Buffer): void {
    if (this.open) this.call.write(bytes);
  }

  private endWhenAnswered(): void {
    if (this.ended && this.unanswered === 0 && this.open) this.call.end();
  }
}

/** A call as an outlet with backpressure. */
function outletOf(call: ServerWritableStream<ReadReq, Buffer>): Outlet & { close(): void } {
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
