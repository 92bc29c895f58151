// Takes Carillon's reply webhooks: checks who sent them, handles each once, and tells what is missing. Needs nothing but
// Node. docs/webhooks.md says what is in them.
//
//   WEBHOOK_SECRET=whsec_… node docs/examples/receiver.mjs
//
// PORT                   where it listens, 8443 unless said
// TLS_KEY, TLS_CERT      files; without them it speaks plain HTTP, for behind a proxy that does TLS
// STATE                  a file that remembers what has come, receiver.state unless said
//
// Each event is printed as a line of JSON.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

const secret = process.env.WEBHOOK_SECRET ?? '';
const state = process.env.STATE ?? 'receiver.state';
const port = Number(process.env.PORT ?? 8443);
const toleranceSeconds = 5 * 60;
const maxBytes = 64 * 1024;

const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
if (key.length < 24) {
  console.error('WEBHOOK_SECRET must be what was shown when the reply webhook was created: whsec_…');
  process.exit(2);
}

// What has come, by its `webhook-id` and by its number. A line a delivery: `<webhook-id> <number, or - for a test>`.
// A program whose work must not happen twice writes this in the transaction that does the work.
const seen = new Set();
// Up to here every number has come; those beyond that have come are in `early`.
let complete = 0;
let highest = 0;
const early = new Set();
if (existsSync(state))
  for (const line of readFileSync(state, 'utf8').split('\n')) {
    const [id, number] = line.split(' ');
    if (id) remember(id, number);
  }

/** Your work. It is finished before the answer, so that a crash in between brings the event again. */
function handle(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function remember(id, number) {
  seen.add(id);
  if (number === '-' || number === undefined) return;
  early.add(Number(number));
  highest = Math.max(highest, Number(number));
  while (early.delete(complete + 1)) complete += 1;
}

/** Numbers that were given out and have not come: late, failed or given up. The newest is never missed for good. */
function missing() {
  const gaps = [];
  for (let number = complete + 1; number < highest; number += 1) if (!early.has(number)) gaps.push(number);
  return gaps;
}

/** True when one of the signatures is made with our secret, over exactly these bytes, and lately. */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp ?? '')) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // A list: for a day after a rotation there is one of the former secret, too.
  return signatures.split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function read(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function take(request, response) {
  const answer = (status) => response.writeHead(status).end();
  try {
    if (request.method !== 'POST') return answer(405);
    const body = await read(request);
    if (!isGenuine(request.headers, body)) return answer(401);
    const id = request.headers['webhook-id'];
    // It comes at least once: the same id is the same event, which we have.
    if (seen.has(id)) return answer(204);
    // Only what is sent for a test has no number.
    const number = request.headers['carillon-sequence'] ?? '-';
    handle(JSON.parse(body.toString('utf8')));
    appendFileSync(state, `${id} ${number}\n`);
    remember(id, number);
    answer(204);
    const gaps = missing();
    if (gaps.length > 0) process.stderr.write(`${JSON.stringify({ missing: gaps })}\n`);
  } catch (error) {
    // Anything but 2xx, and Carillon comes again.
    process.stderr.write(`${JSON.stringify({ error: error.message })}\n`);
    if (!response.headersSent) answer(500);
  }
}

const { TLS_KEY, TLS_CERT } = process.env;
const server =
  TLS_KEY && TLS_CERT
    ? createTlsServer({ key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }, take)
    : createPlainServer(take);
server.listen(port, () => process.stderr.write(`${JSON.stringify({ listening: server.address().port })}\n`));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    process.stderr.write(`${JSON.stringify({ distinct: seen.size, highest, missing: missing() })}\n`);
    server.close();
    server.closeAllConnections();
  });
