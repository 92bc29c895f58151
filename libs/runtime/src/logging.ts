import { isPassing } from '@carillon/eventing';
import { setting } from '@carillon/settings';
import { traceIds } from '@carillon/tracing';
import { Injectable, type LoggerService } from '@nestjs/common';
import { type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger } from 'pino';

/** Fields whose values are redacted from log lines, at the top and up to two levels deep. */
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
    // The `traceparent` of a line is logged as trace ids.
    log: ({ traceparent, ...fields }) => ({ ...fields, ...traceIds(traceparent) }),
  },
  hooks: {
    // A transient error is logged as a warning: alerts watch the failing component itself.
    logMethod(args, method, level) {
      const [fields] = args as readonly unknown[];
      if (level === pino.levels.values['error'] && isPassing((fields as { err?: unknown })?.err))
        this.warn(...args);
      else method.apply(this, args);
    },
  },
  redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
};

/** The maximum of characters buffered while the disk is full; further lines are dropped. */
const maxWaiting = 1_000_000;

/** A file when `LOG_FILE` is set, so that the terminal of a start script stays readable; else standard output. */
const destination = pino.destination({
  dest: setting('LOG_FILE', '') || 1,
  sync: true,
  mkdir: true,
  maxLength: maxWaiting,
});
// A full disk or a closed pipe must not end the process. The next line tries again.
destination.on('error', () => {});

const root: Logger = pino(options, destination);

/**
 * The log of one service: a JSON object a line. Give fields first, then a constant sentence. Include the
 * `traceparent` when the line belongs to a request, a command or a push.
 */
export const logger = (service: string): Logger => root.child({ service });

/** Logs at any LOG_LEVEL that a program is ready: who has started it waits for the line. */
export const logReady = (target: Logger, message: string, fields: object = {}): void =>
  target.child({}, { level: 'info' }).info(fields, message);

/** Nest's own lines in the same form; its info lines are logged as debug. */
@Injectable()
export class NestLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    // Nest's own connection to NATS, which reconnects by itself.
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
