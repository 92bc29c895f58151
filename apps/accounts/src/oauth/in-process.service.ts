import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { OAuthHeader, OAuthRequest, OAuthResponse } from '@carillon/contracts';

/** A response that is not sent: its body is whatever ends it. */
class KeptResponse extends ServerResponse {
  constructor(
    request: IncomingMessage,
    private readonly ended: (body: string) => void,
  ) {
    super(request);
  }

  override end(chunk?: unknown): this {
    this.ended(typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : '');
    return this;
  }
}

/** The answer of a listener of Node's HTTP server to a request that came over the bus. */
export function answerOf(
  listener: RequestListener,
  { method, url, headers, body }: OAuthRequest,
): Promise<OAuthResponse> {
  return new Promise((resolve) => {
    const bytes = Buffer.from(body, 'base64');
    const request = new IncomingMessage(new Socket());
    request.method = method;
    request.url = url;
    for (const { name, value } of headers) request.headers[name] = value;
    if (bytes.length > 0) request.headers['content-length'] = String(bytes.length);
    request.push(bytes);
    request.push(null);
    const response = new KeptResponse(request, (text) =>
      resolve({ status: response.statusCode, headers: headersOf(response), body: text }),
    );
    listener(request, response);
  });
}

const headersOf = (response: ServerResponse): OAuthHeader[] =>
  Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => ({ name, value: String(each) })),
  );
