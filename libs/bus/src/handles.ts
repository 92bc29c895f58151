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
import { notBeforeNewest } from './newest';
import { callerKeys, isSealed } from './seal';
import { answering as answeringStep, faultOf } from './steps';

/** The request may have been executed, entirely or in part. */
const outcomeUnknown = 'store.outcome_unknown';

type Handler<Input, Output> = (input: Input, context: Context) => Promise<Answer<Output>> | Answer<Output>;

/** The requests that are being answered, by seal, which is unique to a request. */
const answering = new Map<string, Promise<Wire<unknown>>>();

/**
 * Marks a method of a Nest controller as the handler of a contract. Checks the input again, since the caller may be
 * another service; drops unknown fields, since the caller may be of a newer version; does not begin a request after its
 * deadline; refuses a request without a valid seal as `caller.unproven`.
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
      // Checked first, for any input: only a sealed request is known to have the form of its type.
      if (!ask || !isSealed(callerKeys(), contract.subject, ask)) return refuseUnproven(contract.subject);
      // A repeat of a running request shares its answer: a message or an answer was lost.
      const first = answering.get(ask.seal);
      if (first) return first as Promise<Wire<Output>>;
      const given: Context = ask.again ? { ...ask.context, again: true } : ask.context;
      const span = beginSpan(given.traceparent, () => answeringStep(contract.subject));
      const context = within(span, given);
      const work = async (command: { readonly stored: boolean }): Promise<Wire<Output>> => {
        try {
          if (context.deadline <= Date.now()) return { refused: 'bus.timeout', details: {} };
          const checked = check(contract.input, ask.input, { dropsUnknown: true });
          if (!checked.ok && checked.empty) return { refused: 'input.empty_update', details: {} };
          if (!checked.ok) return { refused: 'input.invalid', details: { issues: checked.issues } };
          return await handler.call(this, checked.value, await notBeforeNewest(context));
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
