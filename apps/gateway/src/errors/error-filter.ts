import { Refused, errorFieldsOf } from '@carillon/eventing';
import { logger } from '@carillon/runtime';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { traceOf } from '../trace/trace';
import { ApiError, noRoute } from './api-error';
import { fromRefusal } from './refusals';

const log = logger('gateway');

/** Turns everything that is thrown into the common error body. Details of unexpected errors stay internal. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(http.getResponse<FastifyReply>(), toApiError(error, http.getRequest<FastifyRequest>()));
  }
}

export function sendError(reply: FastifyReply, error: ApiError): void {
  if (reply.sent) return;
  void reply
    .status(error.status)
    .headers(error.headers)
    .type(jsonType)
    .send(textOf(error, String(reply.getHeader('x-request-id'))));
}

export const jsonType = 'application/json; charset=utf-8';

/** The body of an error. */
export function textOf({ sentence, code, members, status }: ApiError, requestId: string): string {
  return JSON.stringify({ error: sentence, code, ...members, ...(status === 500 && { requestId }) });
}

export function toApiError(error: unknown, request?: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Refused) {
    const answer = fromRefusal(error);
    if (answer.status === 500)
      log.error(
        { reason: error.reason, ...whereOf(request) },
        'A refusal reason has no HTTP mapping: answered 500',
      );
    return answer;
  }
  const framework = fromFramework(error, request);
  if (framework) return framework;
  log.error({ err: error, ...whereOf(request) }, 'A request failed unexpectedly: answered 500');
  return new ApiError(500, 'INTERNAL', 'Something went wrong on our side.');
}

/** Fields of a log line that identify the request. */
const whereOf = (request?: FastifyRequest): object =>
  request ? { route: request.routeOptions?.url, requestId: request.id, traceparent: traceOf(request) } : {};

/** An error of Fastify itself: Nest passes it on with its status, other paths pass it on unchanged. */
function fromFramework(error: unknown, request?: FastifyRequest): ApiError | undefined {
  const status = error instanceof HttpException ? error.getStatus() : errorFieldsOf(error).statusCode;
  switch (status) {
    case 400:
      return new ApiError(400, 'INVALID_JSON', 'The body could not be read.');
    case 404:
      return noRoute();
    case 413:
      return tooLarge(request?.routeOptions.bodyLimit ?? 65_536);
    case 415:
      return new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
    default:
      return undefined;
  }
}

export const tooLarge = (limit: number): ApiError =>
  new ApiError(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit / 1_024} KiB.`, { limit });
