import { answer, type Answer, Bus, Handles } from '@carillon/bus';
import {
  Audit,
  type AuditExport,
  type AuditLogEntry,
  ReadAuditExport,
  SelectAudit,
} from '@carillon/contracts';
import { ManualClock } from '@carillon/runtime';
import { newId } from '@carillon/signing';
import { type StandIns, startNats, startStandIns } from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { once } from 'node:events';
import type { EdgeRequest } from '../request/row';
import { AuditExports } from './audit-exports';
import { auditRows } from './audit.controller';

const teamId = newId('team', 0);
const entry: AuditLogEntry = {
  id: newId('aud', 0),
  teamId,
  actorUserId: null,
  actorName: '=cmd()',
  actorTokenId: null,
  action: 'audit.exported',
  targetType: 'team',
  targetId: teamId,
  metadata: { proof: { teamId, sequence: 1, keptFrom: 1, digest: '0' } },
  ip: null,
  userAgent: null,
  createdAt: '2026-11-20T10:00:00.000Z',
  previousHash: '0',
  hash: '1',
};

/** Stands where teams stands, with an audit log of one entry, and more of them when it is told so. */
let truncated = false;
@Controller()
class OneEntry {
  @Handles(Audit.export)
  export(_: SelectAudit): Answer<AuditExport> {
    return answer({ sequence: 1, rows: 1, truncated });
  }

  @Handles(Audit.read)
  read(_: ReadAuditExport): Answer<{ entries: AuditLogEntry[]; next: number | null }> {
    return answer({ entries: [entry], next: null });
  }
}

let nats: Awaited<ReturnType<typeof startNats>>;
let service: StandIns;
let bus: Bus;
beforeAll(async () => {
  process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');
  nats = await startNats();
  service = await startStandIns(nats.url, OneEntry);
  bus = await Bus.open(nats.url, 'test');
});
afterAll(async () => {
  await bus?.close();
  await service?.close();
  await nats?.stop();
});

const asked = { id: teamId, format: 'csv' } as const;

const requestOf = (accountId: string, headers: Record<string, string> = {}): EdgeRequest =>
  ({
    row: auditRows.agent,
    token: { tokenId: newId('tok', 0), accountId, name: 'Agent' },
    http: { headers: {}, ip: '127.0.0.1' },
    reply: { header: (name: string, value: string) => (headers[name] = value) },
    requestId: 'request-1',
  }) as unknown as EdgeRequest;

/** The headers and the text of an export. */
async function exported(): Promise<{ headers: Record<string, string>; text: string; disposition: unknown }> {
  const headers: Record<string, string> = {};
  const exports = new AuditExports(bus, new ManualClock());
  const { file } = await exports.begin(requestOf(newId('usr', 0), headers), asked, undefined);
  const chunks: string[] = [];
  for await (const chunk of file.getStream()) chunks.push(String(chunk));
  return { headers, text: chunks.join(''), disposition: file.getHeaders().disposition };
}

describe('an export', () => {
  it('says that it is not all only when there is more', async () => {
    truncated = true;
    expect((await exported()).headers).toEqual({ 'x-audit-truncated': 'true' });
    truncated = false;
    expect((await exported()).headers).toEqual({});
  });

  it('waits for its turn where its account has two under way, until one was taken or given up', async () => {
    const exports = new AuditExports(bus, new ManualClock());
    const begin = (accountId = 'usr_1') => exports.begin(requestOf(accountId), asked, undefined);
    const [first, second] = [await begin(), await begin()];
    await expect(begin()).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    await begin('usr_2');
    for await (const _ of first.file.getStream());
    const third = await begin();
    second.file.getStream().destroy();
    await once(second.file.getStream(), 'close');
    const fourth = await begin();
    await expect(begin()).rejects.toMatchObject({ status: 429 });
    for (const { file } of [third, fourth]) file.getStream().destroy();
  });

  it('is a file with the name of its team and day, and calculates nothing', async () => {
    const { text, disposition } = await exported();
    expect(disposition).toMatch(
      new RegExp(`^attachment; filename="audit-${teamId}-\\d{4}-\\d\\d-\\d\\d.csv"$`),
    );
    expect(text.split('\r\n')[1]).toContain(",'=cmd(),");
  });
});
