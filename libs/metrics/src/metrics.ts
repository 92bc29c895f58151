import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** All metrics of this process. */
export const registry = new Registry();

const registers = [registry];
/** Few, as the answer repeats each bucket for each combination of labels. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

// Labels have few values, all known at start: registered routes, subjects of contracts, names
// from our own code. Never an id, an account, a path or a text.

export const httpRequests = new Counter({
  name: 'carillon_http_requests_total',
  help: 'Requests that the gateway answered; `route` is "none" where no route matches',
  labelNames: ['method', 'route', 'status'] as const,
  registers,
});

export const httpSeconds = new Histogram({
  name: 'carillon_http_request_seconds',
  help: 'Seconds from a request to the end of its answer; clients determine how long waits and streams last',
  labelNames: ['method', 'route'] as const,
  buckets,
  registers,
});

export const waitsOpen = new Gauge({
  name: 'carillon_waits_open',
  help: 'Waits for prompts and messages that this gateway has open',
  registers,
});

export const streamsOpen = new Gauge({
  name: 'carillon_streams_open',
  help: 'Event streams of clients that this gateway has open',
  registers,
});

export const busSeconds = new Histogram({
  name: 'carillon_bus_request_seconds',
  help: 'Seconds from a request on the bus to its answer, retries included, measured by the caller',
  labelNames: ['service', 'outcome'] as const,
  buckets,
  registers,
});

export const busIgnored = new Counter({
  name: 'carillon_bus_ignored_total',
  help: 'Messages of the bus that were ignored because their listener failed',
  labelNames: ['of'] as const,
  registers,
});

export const commandSeconds = new Histogram({
  name: 'carillon_command_seconds',
  help: 'Seconds that a service takes to answer a request on the bus',
  labelNames: ['subject', 'outcome'] as const,
  buckets,
  registers,
});

export const appendSeconds = new Histogram({
  name: 'carillon_append_seconds',
  help: 'Seconds from an append to the acknowledgement of the event store, retries included',
  labelNames: ['outcome'] as const,
  buckets,
  registers,
});

export const appendBatchSize = new Histogram({
  name: 'carillon_append_batch_size',
  help: 'How many appends one write to the event store has: what one turn of the event loop brought',
  buckets: [1, 2, 4, 8, 16, 32, 64],
  registers,
});

export const wakes = new Counter({
  name: 'carillon_wakes_total',
  help: 'How often projections and processes of this program were woken for events that they subscribe to',
  registers,
});

export const projectionCurrent = new Gauge({
  name: 'carillon_projection_current',
  help: '1 where the rows of a projection are current enough to be read, else 0',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const projectionFilling = new Gauge({
  name: 'carillon_projection_filling',
  help: '1 while a new projection fills its tables, or this process rebuilds rows of another version, else 0',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const projectionActive = new Gauge({
  name: 'carillon_projection_active',
  help: '1 in a process that applies events of a projection, of all or of some partitions, else 0',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const partitions = new Gauge({
  name: 'carillon_partitions',
  help: 'The number of partitions of a service; all its replicas report the same number',
  labelNames: ['service'] as const,
  registers,
});

export const partitionsOwned = new Gauge({
  name: 'carillon_partitions_owned',
  help: 'The partitions of a service whose events this process applies',
  labelNames: ['service'] as const,
  registers,
});

export const projectionLagEvents = new Gauge({
  name: 'carillon_projection_lag_events',
  help: 'Events of the log after the position of a projection; an estimate above 10,000',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const projectionLagSeconds = new Gauge({
  name: 'carillon_projection_lag_seconds',
  help: 'Age of the oldest event of the log after the position of a projection',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const projectionSetAside = new Gauge({
  name: 'carillon_projection_set_aside',
  help: 'Accounts that a projection has set aside because it cannot apply an event of theirs',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const queueDue = new Gauge({
  name: 'carillon_queue_due',
  help: 'Queue rows that are due and not leased; all replicas of a service report the same number',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const queueOldestSeconds = new Gauge({
  name: 'carillon_queue_oldest_seconds',
  help: 'For how long the oldest queue row that is not leased has been due',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const queueLeased = new Gauge({
  name: 'carillon_queue_leased',
  help: 'Queue rows that this process has leased',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const queueFailures = new Counter({
  name: 'carillon_queue_failures_total',
  help: 'Queue rows whose execution failed and was postponed',
  labelNames: ['queue'] as const,
  registers,
});

export const deadLetters = new Gauge({
  name: 'carillon_dead_letters',
  help: 'Dead letters: queue rows that were given up and need an operator',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const escalationLateSeconds = new Histogram({
  name: 'carillon_escalation_late_seconds',
  help: 'Seconds from the due time of a step of a page, or of the page of a prompt, to its completion',
  labelNames: ['of'] as const,
  buckets,
  registers,
});

export const pushAttemptSeconds = new Histogram({
  name: 'carillon_push_attempt_seconds',
  help: 'Seconds that a push provider takes to answer, by outcome',
  labelNames: ['provider', 'outcome'] as const,
  buckets,
  registers,
});

export const pushSettledSeconds = new Histogram({
  name: 'carillon_push_settled_seconds',
  help: 'Seconds from the event that causes a push to the final status of the push on one device',
  labelNames: ['status'] as const,
  buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 600],
  registers,
});

export const webhookAttemptSeconds = new Histogram({
  name: 'carillon_webhook_attempt_seconds',
  help: 'Seconds that the receiver of a reply takes to answer, by outcome of the attempt',
  labelNames: ['outcome'] as const,
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  registers,
});

export const publishedLagSeconds = new Gauge({
  name: 'carillon_published_lag_seconds',
  help: 'Age of the oldest event that is not in the stream of published events yet; 0 when there is none',
  labelNames: ['service'] as const,
  registers,
});

export const logStreamsCut = new Counter({
  name: 'carillon_log_streams_cut_total',
  help: 'Streams that left the log for their age: `deleted` as a whole, or `truncated`',
  labelNames: ['outcome'] as const,
  registers,
});

export const logCleanupLagSeconds = new Gauge({
  name: 'carillon_log_cleanup_lag_seconds',
  help: 'For how long the log has kept the oldest event that it should have cut; 0 when there is none',
  labelNames: ['service'] as const,
  registers,
});

export const logOutageSeconds = new Gauge({
  name: 'carillon_log_outage_seconds',
  help: 'For how long this process has been unable to follow the log; 0 while it can',
  registers,
});

export const unreadableEvents = new Gauge({
  name: 'carillon_unreadable_events',
  help: 'Events that this process could not read since its start',
  registers,
});

export const eventLoopHoldSeconds = new Histogram({
  name: 'carillon_event_loop_hold_seconds',
  help: 'Turns of the event loop that took 25 ms of the processor or more, garbage collection not counted',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5],
  registers,
});

/** For histograms: `began` is of `performance.now()`. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1_000;
