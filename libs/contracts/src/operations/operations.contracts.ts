import { Slug, Text } from '@carillon/schema';
import { answers, type Contract, Nothing } from '../contract';

/** How a projection of a service stands, as the replica that answers sees it. */
export interface ProjectionStatus {
  readonly service: string;
  readonly projection: string;
  readonly current: boolean;
  /** Events of the log that it has not gone past; null where nobody can tell yet. */
  readonly eventsBehind: number | null;
  readonly secondsBehind: number | null;
  /** Its rows are being made anew. */
  readonly rebuilding: boolean;
}

export class RebuildProjection {
  @Slug() projection!: string;
}

/** Work that was given up. Names no text of a person. */
export interface DeadLetter {
  readonly service: string;
  readonly queue: string;
  readonly id: string;
  readonly accountId: string;
  readonly reason: string;
  readonly since: string;
}

export class DeadLetterById {
  @Text(1, 200) id!: string;
}

/** Which keys of the ring the replica that answers has, by their ids. */
export interface KnownKeys {
  readonly service: string;
  readonly sealsWith: string;
  /** All that it can open with, the newest first. */
  readonly opensWith: readonly string[];
}

/** What who operates the installation may ask of any service, and nobody else: refused `operator.required`. */
export interface Operations {
  readonly projections: Contract<Nothing, { readonly projections: readonly ProjectionStatus[] }>;
  /** Begins to make the rows anew, beside the live ones. */
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
