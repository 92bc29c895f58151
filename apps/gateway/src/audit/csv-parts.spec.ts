import { type EntryView } from '@carillon/audit';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { csvParts } from './csv-parts';

const batchSize = 500;

const entry = (sequence: number): EntryView => ({
  id: `aud_${sequence}`,
  createdAt: '2026-11-20T09:00:00.000Z',
  action: 'team.updated',
  actorUserId: 'usr_1',
  actorName: '=Ann',
  actorTokenId: null,
  targetType: 'team',
  targetId: 'team_1',
  ip: null,
  userAgent: null,
  metadata: { more: 'x'.repeat(500), proof: { teamId: 'team_1', sequence, keptFrom: 1, digest: 'd' } },
  previousHash: 'a',
  hash: 'b',
});

async function* batchesOf(rows: number, asked: (entries: number) => void) {
  for (let from = rows; from > 0; from -= batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, from) }, (_, index) => entry(from - index));
    asked(batch.length);
    yield batch;
  }
}

describe('the CSV of an export', () => {
  it('of 50,000 entries is never held as a whole: what a slow reader has not taken is not asked for', async () => {
    const rows = 50_000;
    let asked = 0;
    let taken = 0;
    let most = 0;
    const reader = new Writable({
      highWaterMark: 16_384,
      write: (chunk: Buffer, _, done) => {
        taken += chunk.toString().split('\r\n').length - 1;
        void turn().then(() => done());
      },
    });
    const batches = batchesOf(rows, (entries) => {
      asked += entries;
      most = Math.max(most, asked - taken);
    });
    await pipeline(Readable.from(csvParts(batches, rows)), reader);
    expect(taken).toBe(rows + 1);
    expect(most).toBeLessThanOrEqual(4 * batchSize);
  });

  const text = async (batches: readonly (readonly EntryView[])[], rows: number): Promise<string> => {
    let all = '';
    for await (const part of csvParts(Readable.from(batches), rows)) all += part;
    return all;
  };

  it('ends with the row that was promised, whatever came since', async () => {
    const lines = (await text([[entry(3), entry(2)], [entry(1)]], 2)).split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^2026-11-20T09:00:00.000Z,team.updated,usr_1,'=Ann,,team,team_1,,,/);
    expect(lines[0]).toBe(
      'createdAt,action,actorUserId,actorName,actorTokenId,targetType,targetId,ip,userAgent,metadata,id,previousHash,hash',
    );
  });
  it('of nothing is its header', async () => expect((await text([], 0)).split('\r\n')).toHaveLength(2));
  it('breaks off where rows are lacking, so that no part passes for the whole', () =>
    expect(text([[entry(1)]], 2)).rejects.toThrow('too early'));
});
