import { exactly, resource, type Schema, type Shape, type Static } from '@carillon/schema';

/** One thing that can be asked of a service over the bus. The subject is `rpc.<service>.<noun>.<verb>`. */
export interface Contract<Input, Output> {
  readonly subject: string;
  readonly input: Shape<Input>;
  /** What is answered; absent where no API shows it as it is, and the type alone tells. */
  readonly output?: Schema<Output>;
  /** The reasons why the service may say no, beside those that any service has. */
  readonly refuses: readonly string[];
  readonly repeat: Repeat;
}

/**
 * May the same request be asked again, under the same command id, by who does not know whether it was heard?
 * `always`: it only reads, or its effects follow from the command id, so that they are there once and the answer is the
 * first one. `with_key`: where the caller gave an idempotency key. `never`: it might happen twice, or the answer would
 * be another one; the caller hears that it may have happened.
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

/** What is answered where there is nothing to tell. */
export const Ok = resource('Ok', { ok: exactly(true) });
export type Ok = Static<typeof Ok>;
