import type { FastifyRequest } from 'fastify';
import { type ValueCheck, shape } from './check.js';
import { BadInput } from './problem.js';

/** The body of a request, checked; a missing one counts as an empty object. */
export function bodyOf<Value>({ body }: FastifyRequest, check: ValueCheck<Value>): Value {
  return check(typeof body === 'string' && body !== '' ? parse(body) : {}, 'body');
}

/** What the body of a request must be that needs none. */
export const nothing = shape({});

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new BadInput('the body is not JSON');
  }
}
