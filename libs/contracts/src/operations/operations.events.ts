import type { Instant } from '@carillon/eventing';

/** Stream `operation-installation`: what who operates the installation has done to it. */
export interface OperatorActed {
  readonly type: 'OperatorActed';
  /** Such as `projection.rebuild`. */
  readonly action: string;
  readonly service: string;
  /** Which projection, dead letter … */
  readonly target: string;
  readonly actedAt: Instant;
}
