import { Refused } from '@carillon/eventing';
import { numberSetting } from '@carillon/settings';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/**
 * Limits how many waits and streams this gateway holds open in all: each takes memory for as long as its client wants,
 * and a gateway without memory ends them all.
 */
@Injectable()
export class Capacity {
  private readonly max = numberSetting('CARILLON_OPEN_PER_GATEWAY', 20000);
  private open = 0;

  /** Takes a place; returns its release. Refused when the gateway is full. */
  take(reply: FastifyReply): () => void {
    if (this.open >= this.max) {
      // A connection that stays open would bring the client back to this gateway.
      void reply.header('connection', 'close');
      throw new Refused('gateway.full');
    }
    this.open += 1;
    return () => {
      this.open -= 1;
    };
  }
}
