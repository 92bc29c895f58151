import type { FastifyRequest } from 'fastify';

/** The secret that a request presents, whatever it is. */
export function bearer({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const match = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '');
  return match?.[1];
}
