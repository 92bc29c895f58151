import 'reflect-metadata';
import { isPassing, Refused } from '@carillon/eventing';
import { type Contract } from '@carillon/contracts';
import { check } from '@carillon/schema';
import { MessagePattern } from '@nestjs/microservices';
import type { Answer, Ask, Context, Wire } from './envelope';
import { callerKeys, isSealed, unproven } from './seal';

/** What was asked may have happened, or a part of it. */
const outcomeUnknown = 'store.outcome_unknown';

type Handler<Input, Output> = (input: Input, context: Context) => Promise<Answer<Output>> | Answer<Output>;

/** Called with every error that is not a refusal, so that a service can log it. */
let onFailure: (subject: string, error: unknown, context: Context | undefined) => void = () => {};
export const reportFailures = (report: typeof onFailure): void => {
  onFailure = report;
};

const tellEveryMs = 60_000;
let toldAt = -Infinity;

/** Whoever may publish can send such requests as fast as it likes: the log hears of one a minute. */
function refuseUnproven(subject: string): Wire<never> {
  if (performance.now() - toldAt > tellEveryMs) {
    toldAt = performance.now();
    onFailure(subject, new Error('A request was not sealed with CARILLON_CALLER_KEY'), undefined);
  }
  return { refused: unproven, details: {} };
}

/** By its seal, which no other request has: what is being answered here. */
const answering = new Map<string, Promise<Wire<unknown>>>();

/** By command id: what is being answered here, and whether the log has something of it. */
const underWay = new Map<string, { answers: number; stored: boolean }>();

/** The log has taken something of this command. Whatever fails from now on, "try again" would do it twice. */
export function stored(commandId: string): void {
  const command = underWay.get(commandId);
  if (command) command.stored = true;
}

/** A command and what it asks of other services have one id, and may be answered in one process. */
async function following<T>(
  commandId: string,
  work: (command: { readonly stored: boolean }) => Promise<T>,
): Promise<T> {
  const command = underWay.get(commandId) ?? { answers: 0, stored: false };
  command.answers += 1;
  underWay.set(commandId, command);
  try {
    return await work(command);
  } finally {
    command.answers -= 1;
    if (command.answers === 0) underWay.delete(commandId);
  }
}

/**
 * Marks a method of a Nest controller as the one that answers a contract. The input is checked again here, since a
 * caller of the bus may be another service; a request whose deadline has passed is not begun, and one whose caller
 * nobody vouches for is refused as `caller.unproven`.
 */
export const Handles =
  <Input, Output>(contract: Contract<Input, Output>) =>
  <Method extends Handler<Input, Output>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const handler = descriptor.value;
    if (!handler) throw new Error(`${String(key)} is no method`);
    const answerAsk = async function (this: unknown, ask: Ask<Input>): Promise<Wire<Output>> {
      // Before anything else, and of whatever came: only a sealed request has the form that its type says.
      if (!ask || !isSealed(callerKeys(), contract.subject, ask)) return refuseUnproven(contract.subject);
      // The same once more, while the first is under way: one of them has lost its way to here or back.
      const first = answering.get(ask.seal);
      if (first) return first as Promise<Wire<Output>>;
      const context: Context = ask.again ? { ...ask.context, again: true } : ask.context;
      const answered = following(context.commandId, async (command): Promise<Wire<Output>> => {
        try {
          if (context.deadline <= Date.now()) return { refused: 'bus.timeout', details: {} };
          const checked = check(contract.input, ask.input);
          if (!checked.ok) return { refused: 'input.invalid', details: { issues: checked.issues } };
          return await handler.call(this, checked.value, context);
        } catch (error) {
          if (command.stored && isPassing(error)) return { refused: outcomeUnknown, details: {} };
          if (error instanceof Refused) return { refused: error.reason, details: error.details };
          onFailure(contract.subject, error, context);
          return { refused: 'internal', details: {} };
        }
      });
      answering.set(ask.seal, answered);
      try {
        return await answered;
      } finally {
        answering.delete(ask.seal);
      }
    };
    descriptor.value = answerAsk as unknown as Method;
    MessagePattern(contract.subject)(target, key, descriptor as PropertyDescriptor);
  };
