// node deploy/probe.mjs: sends a notification as any agent does, and reads it in the inbox. CARILLON_URL is where; the
// token in CARILLON_TOKEN_FILE has the scopes notifications:send and inbox:read, of an account that has no device, so
// that nobody's phone rings. Ends with 0 when both were done within CARILLON_PROBE_SECONDS (20).
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const { CARILLON_URL, CARILLON_TOKEN_FILE, CARILLON_PROBE_SECONDS = '20' } = process.env;
if (!CARILLON_URL || !CARILLON_TOKEN_FILE) {
  console.error('The probe needs CARILLON_URL and CARILLON_TOKEN_FILE.');
  process.exit(2);
}
const started = Date.now();
const until = AbortSignal.timeout(Number(CARILLON_PROBE_SECONDS) * 1_000);
const authorization = `Bearer ${readFileSync(CARILLON_TOKEN_FILE, 'utf8').trim()}`;

function request(path, { body, headers, method = 'GET' } = {}) {
  return fetch(new URL(`/api/agent${path}`, CARILLON_URL), {
    method,
    headers: { authorization, ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: until,
  });
}

async function probe() {
  const sent = await request('/notifications', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: { title: 'Probe', body: 'Sent to see whether it arrives.' },
  });
  if (!sent.ok) throw new Error(`the send was answered ${sent.status}: ${await sent.text()}`);
  const { notification } = await sent.json();
  const sentMs = Date.now() - started;
  const item = `/inbox/notifications/${encodeURIComponent(`notification:${notification.id}`)}`;
  let last = 'nothing';
  try {
    for (;;) {
      const read = await request(item);
      if (read.ok) return console.log(`Sent in ${sentMs} ms, read after ${Date.now() - started} ms.`);
      last = `${read.status}: ${await read.text()}`;
      await setTimeout(250, undefined, { signal: until });
    }
  } catch (error) {
    throw new Error(`sent in ${sentMs} ms, but not read; the last answer was ${last}`, { cause: error });
  }
}

try {
  await probe();
} catch (error) {
  console.error(`The probe failed after ${Date.now() - started} ms: ${error.message}`);
  process.exit(1);
}
