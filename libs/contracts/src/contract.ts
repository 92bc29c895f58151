import { exactly, resource, type Schema, type Shape, type Static } from '@carillon/schema';

/** A request type that a service answers over the bus. The subject is `rpc.<service>.<noun>.<verb>`. */
export interface Contract<Input, Output> {
  readonly subject: string;
  readonly input: Shape<Input>;
  /** The schema of the answer; absent if no API shows the answer as it is, so that the type suffices. */
  readonly output?: Schema<Output>;
  /** The reasons of refusals, besides those that every service has. */
  readonly refuses: readonly string[];
  readonly repeat: Repeat;
}

/**
 * Whether a request with an unknown outcome may be retried under the same command id.
 * `always`: the request only reads, or its effects derive from the command id, so that they occur once and the answer
 * stays the same. `with_key`: only with an idempotency key of the caller. `never`: a retry could repeat the effect or
 * change the answer; the caller is told that the request may have been executed.
 */
export type Repeat = 'always' | 'with_key' | 'never';

/**
 * Declares a contract: `answers(Device)('push.device.register', RegisterDevice, ['device.not_found'])`, or
 * `answers<Page<Device>>()(…)` for an answer that no API shows as it is.
 */
export const answers =
  <Output>(output?: Schema<Output>) =>
  <Input>(
    name: `${string}.${string}.${string}`,
    input: Shape<Input>,
    refuses: readonly string[] = [],
    repeat: Repeat = 'never',
  ): Contract<Input, Output> => ({
    subject: `rpc.${name}`,
    input,
    refuses,
    repeat,
    ...(output && { output }),
  });

/** An input with no fields. */
export class Nothing {}

/** The answer without content. */
export const Ok = resource('Ok', { ok: exactly(true) });
export type Ok = Static<typeof Ok>;
