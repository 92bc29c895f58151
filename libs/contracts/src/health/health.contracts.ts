import { answers, type Contract, Nothing } from '../contract';

/** All services of an installation, which is ready when each of them is. */
export const serviceNames = [
  'accounts',
  'activities',
  'connectors',
  'interactions',
  'notifications',
  'push',
  'read-models',
  'teams',
  'webhooks',
] as const;

export type ServiceName = (typeof serviceNames)[number];

/** Topic of a signal that gateways send every few seconds while they can receive requests from outside. */
export const edgePulse = 'edge.pulse';
export const edgePulseMs = 3_000;

/** Topic of a signal that asks every replica of every service to tell of itself, under the id of the signal. */
export const replicasAsked = 'replicas.asked';
/** Topics of the signals that answer it, with `ReplicaTold` and `TransportsTold`. */
export const replicaTold = 'replica.told';
export const transportsTold = 'transports.told';

export interface ReplicaTold {
  readonly service: string;
  readonly ready: boolean;
}

/** The attempts of one replica of `push` since its start. */
export interface TransportsTold {
  readonly transports: readonly TransportOutcomes[];
}

export interface TransportOutcomes {
  readonly name: string;
  readonly accepted: number;
  /** Those that the provider refused for good. */
  readonly refused: number;
}

/** A reason why a service is not ready. Contains no value of an event. */
export interface Hindrance {
  /** Absent if the whole service is affected. */
  readonly projection?: string;
  readonly reason: string;
  /** The progress of the projection's catch-up. */
  readonly percent?: number;
  /** The number of events that the projection has processed since the start of its process. */
  readonly events?: number;
  readonly secondsLeft?: number;
}

export interface ServiceHealth {
  /** Empty if the service is ready. */
  readonly hindrances: readonly Hindrance[];
  /** Problems that need attention but do not affect readiness. */
  readonly notices: readonly string[];
}

/** Answered by any replica, since all of them share the rows. */
export const healthOf = (service: string): Contract<Nothing, ServiceHealth> =>
  answers<ServiceHealth>()(`${service}.service.health`, Nothing);
