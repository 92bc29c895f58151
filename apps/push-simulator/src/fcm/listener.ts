import type { Http2SecureServer, Http2ServerResponse } from 'node:http2';
import type { Exchange } from '../exchange.js';
import { later } from '../fault/fault.js';
import { respond, tlsListener } from '../tls-listener.js';
import { errorAnswer, type FcmAnswer } from './answer.js';
import type { Bearers } from './bearer.js';
import { googleError } from './error.js';
import { receive } from './receive.js';

/** The FCM stand-in and its OAuth token endpoint. */
export const fcmListener = (
  exchange: Exchange,
  options: {
    server: { key: string; cert: string };
    bearers: Bearers;
    projectId: string;
  },
): { server: Http2SecureServer; close: () => void } =>
  tlsListener(options.server, ({ request, response, body, isTooLong, cut }) => {
    if (isTooLong)
      return answered(response, errorAnswer(googleError(413, 'Request payload size exceeds the limit.')));
    const { method, headers, url = '' } = request;
    const ending = receive(exchange, options, { method, url, headers, body: body.toString('utf8') });
    later(ending.fault, () => ('answer' in ending ? answered(response, ending.answer) : cut()));
  });

function answered(response: Http2ServerResponse, { status, body, headers }: FcmAnswer): void {
  const type = { 'content-type': 'application/json; charset=UTF-8' };
  respond(response, { status, text: JSON.stringify(body), headers: { ...type, ...headers } });
}
