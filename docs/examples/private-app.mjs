// A small private service: it trusts only the connector gateway before it, and verifies the identity that it asserts.
//
//   GATEWAY=http://127.0.0.1:8787 node docs/examples/private-app.mjs
//
// `/` greets the visitor, `/events` is a stream of server-sent events. POST `/hooks/answers` takes the answers to
// prompts that Carillon sends through the connector, signed with the `whsec_…` of the reply webhook in WEBHOOK_SECRET.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:8787';
const url = process.env.PUBLIC_URL ?? 'https://tools.example.test';
const keys = createRemoteJWKSet(new URL('/.well-known/carillon-gateway/jwks.json', gateway));

/**
 * The visitor: `sub`, and `name` and `email` as disclosed. The address is there only when it was verified, the name is what they
 * call themselves. Throws when it was not the gateway that passed the request on.
 */
async function personOf(request) {
  const assertion = request.headers['carillon-assertion'] ?? '';
  const { payload } = await jwtVerify(assertion, keys, {
    issuer: new URL(url).origin,
    audience: url,
    algorithms: ['EdDSA'],
  });
  return payload;
}

const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, url);
  try {
    if (pathname === '/hooks/answers') return await takeAnswer(request, response);
    const { sub, name = 'visitor' } = await personOf(request);
    if (pathname === '/events') return streamTo(response);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>Private</title><h1>Hello, ${escaped(name)}</h1><p>${escaped(sub)}</p>`,
    );
  } catch (error) {
    console.error(`refused: ${error.message}`);
    response.writeHead(403, { 'content-type': 'text/plain' }).end('Only through the gateway.\n');
  }
});

/** Every visitor could post here too: the signature is what tells an answer of Carillon's. */
async function takeAnswer(request, response) {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { type, data } = new Webhook(process.env.WEBHOOK_SECRET).verify(text, request.headers);
  console.log(`${type}: ${data.interaction.id} is ${data.interaction.status}`);
  response.writeHead(204).end();
}

function streamTo(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => response.write(`data: ${JSON.stringify({ at: new Date() })}\n\n`), 1000);
  response.once('close', () => clearInterval(timer));
}

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`private app listens on http://127.0.0.1:${server.address().port}`),
);
