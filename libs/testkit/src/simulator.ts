import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { end, release } from './child';

/** The push simulator as a process of its own. */
export async function startSimulator() {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-simulator-'));
  const child = spawn(
    process.execPath,
    ['dist/apps/push-simulator/src/main.js', '--port', '0', '--data', folder, '--exit-with-parent'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const { providersFile } = await new Promise<{ providersFile: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The simulator ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as { msg?: string; providersFile: string };
      if (entry.msg === 'listening') resolve(entry);
    });
  });
  release(child);
  const { controlUrl, apns, fcm, web } = JSON.parse(readFileSync(providersFile, 'utf8')) as {
    controlUrl: string;
    apns: Record<string, string>;
    fcm: Record<string, string>;
    web: Record<string, string>;
  };
  return {
    env: {
      APNS_ORIGIN: apns['origin']!,
      APNS_CA_FILE: apns['caFile']!,
      APNS_KEY_FILE: apns['keyFile']!,
      APNS_KEY_ID: apns['keyId']!,
      APNS_TEAM_ID: apns['teamId']!,
      APNS_BUNDLE_ID: apns['bundleId']!,
      FCM_HOST: fcm['host']!,
      FCM_PORT: String(fcm['port']),
      FCM_CA_FILE: fcm['caFile']!,
      FCM_SERVICE_ACCOUNT_FILE: fcm['serviceAccountFile']!,
      CARILLON_WEB_PUSH_SUBJECT: 'mailto:operator@carillon.example',
      WEB_PUSH_ORIGIN: web['origin']!,
      WEB_PUSH_CA_FILE: web['caFile']!,
    },
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says itself what it looks for
    call: async (method: string, path: string, body?: unknown): Promise<any> => {
      const answer = await fetch(`${controlUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
