import 'reflect-metadata';
import { Refused } from '@carillon/eventing';
import { check, type Contract } from '@carillon/contracts';
import { MessagePattern } from '@nestjs/microservices';
import type { Answer, Ask, Context, Wire } from './envelope';

type Handler<Input, Output> = (input: Input, context: Context) => Promise<Answer<Output>> | Answer<Output>;

/** Called with every error that is not a refusal, so that a service can log it. */
let onFailure: (subject: string, error: unknown, context: Context | undefined) => void = () => {};
export const reportFailures = (report: typeof onFailure): void => {
  onFailure = report;
};

/**
 * Marks a method of a Nest controller as the one that answers a contract. The input is checked again here, since a
 * caller of the bus may be another service; a request whose deadline has passed is not begun.
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
      try {
        if (ask.context.deadline <= Date.now()) return { refused: 'bus.timeout', details: {} };
        const checked = check(contract.input, ask.input);
        if (!checked.ok) return { refused: 'input.invalid', details: { issues: checked.issues } };
        return await handler.call(this, checked.value, ask.context);
      } catch (error) {
        if (error instanceof Refused) return { refused: error.reason, details: error.details };
        onFailure(contract.subject, error, ask?.context);
        return { refused: 'internal', details: {} };
      }
    };
    descriptor.value = answerAsk as unknown as Method;
    MessagePattern(contract.subject)(target, key, descriptor as PropertyDescriptor);
  };
