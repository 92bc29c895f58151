import { Refused } from '@carillon/eventing';
import type { Context } from './envelope';

/** Refused `operator.required` unless the caller is an operator's tool; no HTTP request can be. */
export function insistOnOperator({ caller }: Context): void {
  if (caller.process !== 'operator') throw new Refused('operator.required');
}
