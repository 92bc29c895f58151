import { Id, Int, ListOf, ListOfShapes, Nested, Opaque, Optional } from '@carillon/schema';

// What gateways ask for when they limit rates.

export class RateTake {
  /** The counted subject, such as `token:tok_…`. */
  @Opaque(1, 200) key!: string;
  @Int(1, 1_000_000_000) limit!: number;
  @Int(1, 86_400) windowSeconds!: number;
  /** The number requested; as many as fit are granted. 0 only reads what is left, -1 releases one. */
  @Int(-1, 10_000) count!: number;
}

/** The accounts whose requests a gateway is about to pass on (ADR 62). */
export class AccessThroughGateway {
  @Opaque(1, 100) gateway!: string;
  @ListOf(Id.rule('usr'), { min: 0, max: 500, unique: true }) writing!: string[];
  @ListOf(Id.rule('usr'), { min: 0, max: 500, unique: true }) reading!: string[];
}

export class TakeRates {
  @ListOfShapes(RateTake, { min: 0, max: 500 }) takes!: RateTake[];
  @Optional() @Nested(AccessThroughGateway) access?: AccessThroughGateway;
}

/** The grants in the order of the takes. */
export interface RatesTaken {
  grants: RateGrant[];
  /** The reading accounts that may have written through other gateways lately; undefined if nothing was recorded. */
  elsewhere?: readonly string[];
}

/** The total number of wait permits of a token that a gateway wants, and the token's maximum. */
export class PermitsWanted {
  @Opaque(1, 200) tokenId!: string;
  @Int(0, 100_000) wanted!: number;
  @Int(0, 100_000) max!: number;
}

export class HoldWaitPermits {
  @Opaque(1, 100) gateway!: string;
  @ListOfShapes(PermitsWanted, { min: 1, max: 500 }) wants!: PermitsWanted[];
}

/** The answer to one take: how many were granted, how many are left, and when the window resets. */
export interface RateGrant {
  granted: number;
  remaining: number;
  /** Whole seconds, at least 1. */
  resetSeconds: number;
}
