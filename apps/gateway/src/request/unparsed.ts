import type { OutgoingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { standardHeaders, ulid } from './request-id';
import { ApiError } from '../errors/api-error';
import { jsonType, textOf } from '../errors/error-filter';

const reasonPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function errorOf(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(431, 'HEADERS_TOO_LARGE', 'The headers of the request are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'REQUEST_TIMEOUT', 'The request did not come in time.');
    default:
      return new ApiError(400, 'VALIDATION_FAILED', 'This is no HTTP request that can be understood.');
  }
}

/**
 * Answers bytes that Node's parser refuses, in the common error form. There is no request yet, and the start of the
 * next one on the connection is unknown, so the answer is written by hand and the connection is closed.
 */
export function answerUnparsed(failure: Error & { code?: string }, socket: Socket): void {
  if (failure.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // An answer that is partly sent must not be followed by another one.
  const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: OutgoingMessage };
  if (underWay?.headersSent) {
    socket.destroy();
    return;
  }
  const error = errorOf(failure.code);
  const requestId = ulid();
  const body = textOf(error, requestId);
  const headers = {
    ...standardHeaders(requestId),
    'content-type': jsonType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = [
    `HTTP/1.1 ${error.status} ${reasonPhrases[error.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
