import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** All metrics of this process. */
export const registry = new Registry();

const registers = [registry];
/** Few, as each stands in the answer once for each combination of labels. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

// Labels have few values, all known before anybody asks: routes as they are registered, subjects of contracts, names of
// our own. Never an id, an account, a path or a text.

export const httpRequests = new Counter({
  name: 'carillon_http_requests_total',
  help: 'Requests that the gateway answered; `route` is "none" where there is no such route',
  labelNames: ['method', 'route', 'status'] as const,
  registers,
});

export const httpSeconds = new Histogram({
  name: 'carillon_http_request_seconds',
  help: 'From a request to the end of its answer; waits and streams are as long as their clients want',
  labelNames: ['method', 'route'] as const,
  buckets,
  registers,
});

export const waitsOpen = new Gauge({
  name: 'carillon_waits_open',
  help: 'Waits for prompts that this gateway has open',
  registers,
});

export const streamsOpen = new Gauge({
  name: 'carillon_streams_open',
  help: 'Event streams of clients that this gateway has open',
  registers,
});

export const busSeconds = new Histogram({
  name: 'carillon_bus_request_seconds',
  help: 'From a question on the bus to its answer, repetitions included, as who asks sees it',
  labelNames: ['service', 'outcome'] as const,
  buckets,
  registers,
});

export const busIgnored = new Counter({
  name: 'carillon_bus_ignored_total',
  help: 'Messages of the bus that were ignored as what listens to them failed',
  labelNames: ['of'] as const,
  registers,
});

export const commandSeconds = new Histogram({
  name: 'carillon_command_seconds',
  help: 'How long a service takes to answer a question of the bus',
  labelNames: ['subject', 'outcome'] as const,
  buckets,
  registers,
});

export const appendSeconds = new Histogram({
  name: 'carillon_append_seconds',
  help: 'From an append to the acknowledgement of the event store, repetitions included',
  labelNames: ['outcome'] as const,
  buckets,
  registers,
});

export const wakes = new Counter({
  name: 'carillon_wakes_total',
  help: 'How often projections and processes of this program were woken for events of the log that they want',
  registers,
});

export const projectionCurrent = new Gauge({
  name: 'carillon_projection_current',
  help: '1 where the rows of a projection may be taken for the truth, else 0',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const projectionActive = new Gauge({
  name: 'carillon_projection_active',
  help: '1 in the process that applies the events of a projection, else 0',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const projectionLagEvents = new Gauge({
  name: 'carillon_projection_lag_events',
  help: 'Events of the log that a projection has not gone past; an estimate where they are more than 10,000',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const projectionLagSeconds = new Gauge({
  name: 'carillon_projection_lag_seconds',
  help: 'Age of the oldest event of the log that a projection has not gone past',
  labelNames: ['service', 'projection'] as const,
  registers,
});

export const queueDue = new Gauge({
  name: 'carillon_queue_due',
  help: 'Rows of work that are due and that nobody has taken; all replicas of a service tell the same',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const queueOldestSeconds = new Gauge({
  name: 'carillon_queue_oldest_seconds',
  help: 'For how long the oldest row of work has been due that nobody has taken',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const queueInHand = new Gauge({
  name: 'carillon_queue_in_hand',
  help: 'Work that this process has in hand',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const queueFailures = new Counter({
  name: 'carillon_queue_failures_total',
  help: 'Work that failed and was put off',
  labelNames: ['queue'] as const,
  registers,
});

export const deadLetters = new Gauge({
  name: 'carillon_dead_letters',
  help: 'Work that was given up and that somebody has to look at',
  labelNames: ['service', 'queue'] as const,
  registers,
});

export const escalationLateSeconds = new Histogram({
  name: 'carillon_escalation_late_seconds',
  help: 'From the time when the next step of a page, or the page of a prompt, was due to the end of taking it',
  labelNames: ['of'] as const,
  buckets,
  registers,
});

export const pushAttemptSeconds = new Histogram({
  name: 'carillon_push_attempt_seconds',
  help: 'How long a push provider takes to answer, and what it says',
  labelNames: ['provider', 'outcome'] as const,
  buckets,
  registers,
});

export const pushSettledSeconds = new Histogram({
  name: 'carillon_push_settled_seconds',
  help: 'From the event that a push follows from to what became of it on one device',
  labelNames: ['status'] as const,
  buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 600],
  registers,
});

export const webhookAttemptSeconds = new Histogram({
  name: 'carillon_webhook_attempt_seconds',
  help: 'How long the receiver of a reply takes, and what came of the attempt',
  labelNames: ['outcome'] as const,
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  registers,
});

export const logOutageSeconds = new Gauge({
  name: 'carillon_log_outage_seconds',
  help: 'For how long this process has not been able to follow the log; 0 while it can',
  registers,
});

export const unreadableEvents = new Gauge({
  name: 'carillon_unreadable_events',
  help: 'Events that this process could not open since its start',
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
