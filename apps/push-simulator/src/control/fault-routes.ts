import type { FastifyInstance } from 'fastify';
import type { Exchange } from '../exchange.js';
import { bodyOf } from './body.js';
import { flag, oneOf, optional, shape, text, whole } from './check.js';
import { BadInput } from './problem.js';

const newFault = shape({
  match: optional(
    shape({
      provider: optional(oneOf('apns', 'fcm', 'web', 'oauth')),
      phoneId: optional(text(200)),
      pushType: optional(text(64)),
    }),
  ),
  count: optional(whole(1, 1_000_000)),
  effect: shape({
    latencyMs: optional(whole(0, 600_000)),
    status: optional(whole(200, 599)),
    reason: optional(text(100)),
    retryAfterSeconds: optional(whole(0, 86_400)),
    cut: optional(oneOf('before', 'after')),
    goaway: optional(flag),
    refuseStream: optional(flag),
  }),
});

/** The faults that the providers have. */
export function faultRoutes(api: FastifyInstance, { faults, log }: Exchange): void {
  api.get('/faults', () => ({ faults: faults.list() }));

  api.post('/faults', (request, reply) => {
    const { match, effect, count } = bodyOf(request, newFault);
    if (Object.values(effect).every((value) => value === undefined || value === false))
      throw new BadInput('effect must have at least one field');
    const fault = faults.add(match ?? {}, effect, count);
    log({ msg: 'fault added', fault });
    reply.code(201);
    return { fault };
  });

  api.delete('/faults', () => {
    faults.clear();
    return { faults: [] };
  });
}
