import type { Http2SecureServer } from 'node:http2';
import type { Exchange } from '../exchange.js';
import { later } from '../fault/fault.js';
import { respond, tlsListener } from '../tls-listener.js';
import type { Browsers } from './browsers.js';
import { receive } from './receive.js';

/** The stand-in for the push services of browsers. */
export const webListener = (
  exchange: Exchange,
  browsers: Browsers,
  options: { server: { key: string; cert: string }; now: () => number },
): { server: Http2SecureServer; close: () => void } =>
  tlsListener(options.server, ({ request, response, body, cut }) => {
    const { method, headers, url = '' } = request;
    const ending = receive(exchange, browsers, { method, url, headers, body }, options.now());
    later(ending.fault, () => {
      if (!('answer' in ending)) return cut();
      const { reason, ...answer } = ending.answer;
      respond(response, { ...answer, text: reason === null ? '' : JSON.stringify({ message: reason }) });
    });
  });
