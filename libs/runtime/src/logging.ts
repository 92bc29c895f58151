import { isPassing } from '@carillon/eventing';
import { setting } from '@carillon/settings';
import { traceIds } from '@carillon/tracing';
import { Injectable, type LoggerService } from '@nestjs/common';
import { type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger } from 'pino';

/** Fields whose values never reach a log line, wherever they stand. */
const hidden = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'accessToken',
  'refreshToken',
  'signingSecret',
  'pushToken',
  'pushToStartToken',
  'pass',
  'session',
];

const options: LoggerOptions = {
  level: setting('LOG_LEVEL', 'info'),
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: {
    level: (label) => ({ level: label }),
    // Lines name the trace that they are written in by its `traceparent`, as all else that belongs to one.
    log: ({ traceparent, ...fields }) => ({ ...fields, ...traceIds(traceparent) }),
  },
  hooks: {
    // A part that is away for a while is a transient error: alerts watch the parts themselves.
    logMethod(args, method, level) {
      const [fields] = args as readonly unknown[];
      if (level === pino.levels.values['error'] && isPassing((fields as { err?: unknown })?.err))
        this.warn(...args);
      else method.apply(this, args);
    },
  },
  redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
};

/** So many characters wait for a disk that is full; what comes then is not logged. */
const maxWaiting = 1_000_000;

/** To a file where a starter asks for that, so that its own terminal stays readable; else to standard output. */
const destination = pino.destination({
  dest: setting('LOG_FILE', '') || 1,
  sync: true,
  mkdir: true,
  maxLength: maxWaiting,
});
// A full disk, or a reader that has gone: nobody dies of what cannot be logged. It is tried again with the next line.
destination.on('error', () => {});

const root: Logger = pino(options, destination);

/**
 * The log of one service: a JSON object a line. Give fields first, then a constant sentence. Among the fields is the
 * `traceparent` of what the line belongs to, where it belongs to a request, an order or a push.
 */
export const logger = (service: string): Logger => root.child({ service });

/** Nest's own lines, in the same form; its chatter at start goes to debug. */
@Injectable()
export class NestLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    // Nest's own connection to NATS, which comes back by itself.
    const level = String(message).startsWith('NatsError: type: "disconnect"') ? 'warn' : 'error';
    this.target[level](
      { context: rest.at(-1), detail: rest.length > 1 ? String(rest[0]) : undefined },
      String(message),
    );
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn({ context: rest.at(-1) }, String(message));
  }

  debug(message: unknown): void {
    this.target.debug(String(message));
  }

  verbose(message: unknown): void {
    this.target.trace(String(message));
  }
}
