import type { Instant } from '@carillon/eventing';

/** Stream `operation-installation`: the actions of the operator of the installation. */
export interface OperatorActed {
  readonly type: 'OperatorActed';
  /** The action, such as `projection.rebuild`. */
  readonly action: string;
  readonly service: string;
  /** The projection, dead letter … that was acted on. */
  readonly target: string;
  readonly actedAt: Instant;
}
