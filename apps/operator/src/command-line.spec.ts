import { Refused } from '@carillon/eventing';
import { BadUsage, failureOf, parsed } from './command-line';

it('a failure is told by the reason of the refusal, with the fields that the contract does not accept', () => {
  const issues = [{ path: 'email', message: 'must be an address' }];
  expect(failureOf(new Refused('input.invalid', { issues }))).toBe('input.invalid, email must be an address');
  expect(failureOf(new Refused('account.not_found'))).toBe('account.not_found');
  expect(failureOf(new Error('no standalone runs'))).toBe('no standalone runs');
});

it('what is wrong with the options is a wrong usage', () => {
  const failing = (): never => {
    throw new TypeError("Unknown option '--x'");
  };
  expect(() => parsed(failing)).toThrow(new BadUsage("Unknown option '--x'"));
});
