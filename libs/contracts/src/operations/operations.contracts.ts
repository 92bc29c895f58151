import { Slug, Text } from '@carillon/schema';
import { answers, type Contract, Nothing } from '../contract';

/** The status of a projection, as the answering replica sees it. */
export interface ProjectionStatus {
  readonly service: string;
  readonly projection: string;
  readonly current: boolean;
  /** The number of log events after its checkpoint; null while unknown. */
  readonly eventsBehind: number | null;
  readonly secondsBehind: number | null;
  /** Whether a rebuild of its rows is running. */
  readonly rebuilding: boolean;
}

export class RebuildProjection {
  @Slug() projection!: string;
}

/** A command that was given up, or an account that a projection set aside. Contains no text of a person. */
export interface DeadLetter {
  readonly service: string;
  /** The queue, or the projection. */
  readonly queue: string;
  readonly id: string;
  readonly accountId: string;
  readonly reason: string;
  /** How often it was tried before it was given up. */
  readonly attempts: number;
  readonly since: string;
}

export class DeadLetterById {
  @Text(1, 200) id!: string;
}

/** The ids of the keys that the answering replica has in its ring. */
export interface KnownKeys {
  readonly service: string;
  readonly sealsWith: string;
  /** All keys that the replica can open text with, newest first. */
  readonly opensWith: readonly string[];
}

/** Requests to any service that only the operator of the installation may make. Refused `operator.required`. */
export interface Operations {
  readonly projections: Contract<Nothing, { readonly projections: readonly ProjectionStatus[] }>;
  /** Starts a rebuild of the rows, beside the live ones. */
  readonly rebuild: Contract<RebuildProjection, { readonly started: true }>;
  readonly keys: Contract<Nothing, { readonly keys: KnownKeys }>;
  readonly deadLetters: Contract<Nothing, { readonly deadLetters: readonly DeadLetter[] }>;
  readonly retryDeadLetter: Contract<DeadLetterById, { readonly ok: true }>;
  readonly dropDeadLetter: Contract<DeadLetterById, { readonly ok: true }>;
}

export const operationsOf = (service: string): Operations => ({
  projections: answers<{ projections: readonly ProjectionStatus[] }>()(
    `${service}.projection.list`,
    Nothing,
    ['operator.required'],
    'always',
  ),
  rebuild: answers<{ started: true }>()(`${service}.projection.rebuild`, RebuildProjection, [
    'operator.required',
    'projection.not_found',
    'projection.rebuilding',
  ]),
  keys: answers<{ keys: KnownKeys }>()(`${service}.key.list`, Nothing, ['operator.required'], 'always'),
  deadLetters: answers<{ deadLetters: readonly DeadLetter[] }>()(
    `${service}.dead_letter.list`,
    Nothing,
    ['operator.required'],
    'always',
  ),
  retryDeadLetter: answers<{ ok: true }>()(`${service}.dead_letter.retry`, DeadLetterById, [
    'operator.required',
    'dead_letter.not_found',
    'dead_letter.failed_again',
  ]),
  dropDeadLetter: answers<{ ok: true }>()(`${service}.dead_letter.drop`, DeadLetterById, [
    'operator.required',
    'dead_letter.not_found',
  ]),
});
