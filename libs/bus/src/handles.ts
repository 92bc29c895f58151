import 'reflect-metadata';
import { isPassing, Refused } from '@carillon/eventing';
import { type Contract } from '@carillon/contracts';
import { commandSeconds, secondsSince } from '@carillon/metrics';
import { check } from '@carillon/schema';
import { beginSpan, within } from '@carillon/tracing';
import { MessagePattern } from '@nestjs/microservices';
import { following } from './under-way';
import type { Answer, Ask, Context, Wire } from './envelope';
import { failed, refuseUnproven } from './failures';
import { callerKeys, isSealed } from './seal';
import { answering as answeringStep, faultOf } from './steps';

/** What was asked may have happened, or a part of it. */
const outcomeUnknown = 'store.outcome_unknown';

type Handler<Input, Output> = (input: Input, context: Context) => Promise<Answer<Output>> | Answer<Output>;

/** By its seal, which no other request has: what is being answered here. */
const answering = new Map<string, Promise<Wire<unknown>>>();

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
      const given: Context = ask.again ? { ...ask.context, again: true } : ask.context;
      const span = beginSpan(given.traceparent, () => answeringStep(contract.subject));
      const context = within(span, given);
      const work = async (command: { readonly stored: boolean }): Promise<Wire<Output>> => {
        try {
          if (context.deadline <= Date.now()) return { refused: 'bus.timeout', details: {} };
          const checked = check(contract.input, ask.input);
          if (!checked.ok && checked.empty) return { refused: 'input.empty_update', details: {} };
          if (!checked.ok) return { refused: 'input.invalid', details: { issues: checked.issues } };
          return await handler.call(this, checked.value, context);
        } catch (error) {
          if (command.stored && isPassing(error)) return { refused: outcomeUnknown, details: {} };
          if (error instanceof Refused) return { refused: error.reason, details: error.details };
          failed(contract.subject, error, context);
          return { refused: 'internal', details: {} };
        }
      };
      const answered = following(context.commandId, work);
      answering.set(ask.seal, answered);
      const began = performance.now();
      let [outcome, reason] = ['failed', ''];
      try {
        const answer = await answered;
        if ('refused' in answer) reason = answer.refused;
        outcome = reason === '' ? 'answered' : reason === 'internal' ? 'failed' : 'refused';
        return answer;
      } finally {
        answering.delete(ask.seal);
        commandSeconds.observe({ subject: contract.subject, outcome }, secondsSince(began));
        span?.end(
          { 'carillon.outcome': outcome, ...(reason && { 'carillon.reason': reason }) },
          faultOf(outcome),
        );
      }
    };
    descriptor.value = answerAsk as unknown as Method;
    MessagePattern(contract.subject)(target, key, descriptor as PropertyDescriptor);
  };
