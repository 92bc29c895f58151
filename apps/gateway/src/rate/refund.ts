import { logger } from '@carillon/runtime';
import type { FastifyReply } from 'fastify';
import { traceOf } from '../trace/trace';
import { type PolicyState, rateHeaders } from './policy';
import type { Rates } from './rates';

const log = logger('gateway');

/** A refused send does not count: releases it from the policy `account`, and updates the headers of the answer. */
export async function refundSend(
  rates: Rates,
  states: readonly PolicyState[],
  reply: FastifyReply,
): Promise<void> {
  const at = states.findIndex(({ name }) => name === 'account');
  if (at < 0) return;
  try {
    void reply.headers(rateHeaders(states.toSpliced(at, 1, ...(await rates.release([states[at]!])))));
  } catch (error) {
    log.warn(
      { err: error, traceparent: traceOf(reply.request) },
      'Failed to refund a refused send: it stays counted',
    );
  }
}
