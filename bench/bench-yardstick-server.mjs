// What the gateway's routes are measured by: a bare node:http server that asks a raw nats.js responder, both in this process.
import { connect } from '@nats-io/transport-node';
import { createServer } from 'node:http';

const subject = 'yardstick';
const nats = await connect({ servers: process.env.NATS_URL });
nats.subscribe(subject, { callback: (_, message) => message.respond(message.data) });

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const { data } = await nats.request(subject, Buffer.concat(chunks), { timeout: 10_000 });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(data);
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
