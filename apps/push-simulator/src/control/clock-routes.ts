import type { FastifyInstance } from 'fastify';
import type { Exchange } from '../exchange.js';
import { bodyOf } from './body.js';
import { shape, within } from './check.js';

const move = shape({ advanceSeconds: within(0, 315_360_000) });

/** What the clock of the phones shows. */
export const timeOf = (exchange: Exchange) => ({
  now: new Date(exchange.now()).toISOString(),
  aheadSeconds: exchange.clock.aheadSeconds,
});

/** The clock of the phones: read, moved forward, put back. */
export function clockRoutes(api: FastifyInstance, exchange: Exchange): void {
  api.get('/clock', () => timeOf(exchange));

  api.post('/clock', (request) => {
    exchange.clock.advance(bodyOf(request, move).advanceSeconds);
    exchange.age();
    return timeOf(exchange);
  });

  api.delete('/clock', () => {
    exchange.clock.reset();
    return timeOf(exchange);
  });
}
