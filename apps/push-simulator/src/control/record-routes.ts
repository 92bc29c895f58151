import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Exchange } from '../exchange.js';
import { clearPhone } from '../phone/phone.js';
import { bodyOf, nothing } from './body.js';
import { phoneOf } from './phone.js';
import { BadInput } from './problem.js';

/** What the providers received, counted and listed, and the way back to an empty list. */
export function recordRoutes(api: FastifyInstance, exchange: Exchange): void {
  const { phones, received, faults } = exchange;

  api.get('/stats', () => received.stats);

  api.get('/received', (request) => received.afterOfAll(afterOf(request)));

  api.get<{ Params: { id: string } }>('/phones/:id/received', (request) =>
    received.after(phoneOf(phones, request.params.id).id, afterOf(request)),
  );

  api.post('/reset', (request) => {
    bodyOf(request, nothing);
    for (const phone of phones.list()) clearPhone(phone, exchange.now());
    phones.index();
    phones.changed();
    received.clear();
    faults.clear();
    exchange.log({ msg: 'reset' });
    return { ok: true };
  });
}

/** The number after which the caller wants to read on. */
function afterOf({ url }: FastifyRequest): number {
  const given = new URL(url, 'http://simulator').searchParams.get('after');
  if (given === null) return 0;
  if (!/^\d{1,15}$/.test(given)) throw new BadInput('after must be a whole number');
  return Number(given);
}
