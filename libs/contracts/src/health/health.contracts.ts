import { answers, type Contract, Nothing } from '../contract';

/** Every service of a house; it is ready when each of them is. */
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

/** Topic of a signal that gateways send every few seconds: from outside somebody could be heard. */
export const edgePulse = 'edge.pulse';
export const edgePulseMs = 3_000;

/** What keeps a service from being ready. Names no value of an event. */
export interface Hindrance {
  /** Absent when it is the whole service. */
  readonly projection?: string;
  readonly reason: string;
  /** How far the projection is with what it has to catch up with. */
  readonly percent?: number;
  /** Events that it has looked at since its process began. */
  readonly events?: number;
  readonly secondsLeft?: number;
}

export interface ServiceHealth {
  /** None when it is ready. */
  readonly hindrances: readonly Hindrance[];
  /** What somebody should look at, though it keeps nothing from being done. */
  readonly notices: readonly string[];
}

/** Answered by any replica: what it says of the rows holds for all of them. */
export const healthOf = (service: string): Contract<Nothing, ServiceHealth> =>
  answers<ServiceHealth>()(`${service}.service.health`, Nothing);
