import { count, list, nullable, object, resource, type Static, text, Text, when } from '@carillon/schema';
import { answers, Nothing, Ok } from '../contract';
import { nextCursor, ListQuery } from '../list-page';

// What an operator sees of the installation in the console. The gateway answers it from what all services say.

export const InstallationHealth = resource('InstallationHealth', {
  services: list(
    object({
      name: text(),
      replicas: count('The replicas that answered within half a second.'),
      ready: count('Those of them whose database answers and whose projections are current.'),
    }),
  ),
  projections: list(
    object({
      name: text('The service and the projection.'),
      behindEvents: nullable(count('Null while it is unknown.')),
      behindSeconds: nullable(count()),
    }),
  ),
  transports: list(
    object({
      name: text('`apns`, `fcm` or `web`.'),
      accepted: count('Attempts that the provider accepted, since the start of the replicas that answered.'),
      refused: count('Attempts that the provider refused for good, since then.'),
      queued: count('Pushes that wait now; 100,000 of all at most are counted.'),
    }),
  ),
});
export type InstallationHealth = Static<typeof InstallationHealth>;

const OperatedDeadLetter = object({
  id: text(),
  queue: text('The service, and its queue or projection.'),
  subject: text('What it is about: a push, or the account that a projection has set aside.'),
  reason: text(),
  attempts: count('How often it was tried before it was given up.'),
  at: when('When it was given up.'),
});
export type OperatedDeadLetter = Static<typeof OperatedDeadLetter>;

export class OperatedDeadLetterById {
  @Text(1, 400) id!: string;
}

export const Installation = {
  health: answers(InstallationHealth)(
    'gateway.installation.health',
    Nothing,
    ['operator.required'],
    'always',
  ),
  deadLetters: answers(object({ deadLetters: list(OperatedDeadLetter), nextCursor }))(
    'gateway.installation.dead-letters',
    ListQuery,
    ['operator.required', 'list.invalid_cursor'],
    'always',
  ),
  retryDeadLetter: answers(Ok)('gateway.installation.retry', OperatedDeadLetterById, [
    'operator.required',
    'dead_letter.not_found',
    'dead_letter.failed_again',
  ]),
  dropDeadLetter: answers(Ok)('gateway.installation.drop', OperatedDeadLetterById, [
    'operator.required',
    'dead_letter.not_found',
  ]),
};
