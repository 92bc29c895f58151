import type { FastifyRequest } from 'fastify';

/** The bearer secret of a request, of any kind. */
export function bearer({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const match = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '');
  return match?.[1];
}
