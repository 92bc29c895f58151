import { Refused } from '@carillon/eventing';
import type { Context } from './envelope';

/** Refused `operator.required` unless the caller is an operator's tool, or an operator through the operator routes. */
export function insistOnOperator({ caller }: Context): void {
  if (caller.process !== 'operator' && !caller.operator) throw new Refused('operator.required');
}
