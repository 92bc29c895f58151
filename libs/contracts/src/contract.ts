/** A class whose class-validator decorators say what an input must be. */
export type Shape<T> = new () => T;

/**
 * One thing that can be asked of a service over the bus. The subject is `rpc.<service>.<noun>.<verb>`; the type of
 * the answer travels in the type only.
 */
export interface Contract<Input, Output> {
  readonly subject: string;
  readonly input: Shape<Input>;
  /** Only there for the compiler: never set. */
  readonly output?: Output;
}

/** Declares a contract: `answers<Sent>()('notifications.notification.send', SendNotification)`. */
export const answers =
  <Output>() =>
  <Input>(name: `${string}.${string}.${string}`, input: Shape<Input>): Contract<Input, Output> => ({
    subject: `rpc.${name}`,
    input,
  });

export type InputOf<C> = C extends Contract<infer Input, unknown> ? Input : never;
export type OutputOf<C> = C extends Contract<never, infer Output> ? Output : never;

/** An input with no fields. */
export class Nothing {}

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}
