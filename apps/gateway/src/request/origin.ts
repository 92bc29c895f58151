import type { Origin } from '@carillon/eventing';
import type { FastifyRequest } from 'fastify';

const maxCodePoints = 512;

/** The origin of a request for the audit log, with the user agent if the request has one. */
export function originOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Origin {
  const given = (headers['user-agent'] ?? '').replace(/[\u0000-\u001f\u007f-\u009f]/g, '');
  return { ip, userAgent: [...given].slice(0, maxCodePoints).join('').trim() || null };
}
