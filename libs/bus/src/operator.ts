import { Refused } from '@carillon/eventing';
import type { Context } from './envelope';

/** Refused `operator.required` unless who operates the installation asks, as nobody can over HTTP. */
export function insistOnOperator({ caller }: Context): void {
  if (caller.process !== 'operator') throw new Refused('operator.required');
}
