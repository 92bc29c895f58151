import { digestOf, hashOf, noHash, readAuditKeys, signCheckpoint } from '@carillon/audit';
import { type ChainHead, nextEntry, type AuditRecord, entryView } from './audit';

const said: AuditRecord = {
  entryId: 'aud_1',
  at: '2026-11-20T09:00:00.000Z',
  action: 'team.updated',
  actorUserId: 'usr_1',
  actorTokenId: 'tok_1',
  target: { type: 'team', id: 'team_1' },
  source: '7',
  actorName: 'Ann',
  ip: '192.0.2.7',
  userAgent: 'curl/8',
  metadata: { changed: ['name'] },
};
const next = (head: ChainHead, more: Partial<AuditRecord> = {}) =>
  nextEntry('team_1', head, { ...said, ...more }, { salt: 'salt' });
const first = next(null);

describe('an entry of the audit log', () => {
  it('is the first where there is none', () =>
    expect(first).toMatchObject({
      sequence: 1,
      keptFrom: 1,
      previousHash: noHash,
      source: '7',
      checkpoint: null,
    }));
  it('has the hash of the one before it', () =>
    expect(next(first)).toMatchObject({ sequence: 2, previousHash: first.hash }));
  it('has another hash when anything of it is another', () => {
    const others: Partial<AuditRecord>[] = [
      { at: '2026-11-20T09:00:00.001Z' },
      { action: 'team.deleted' },
      { actorUserId: null },
      { actorTokenId: null },
      { target: null },
      { entryId: 'aud_2' },
      { keptFrom: 2 },
      { actorName: 'Bea' },
      { ip: null },
      { userAgent: null },
      { metadata: {} },
    ];
    const hashes = [first, ...others.map((more) => next(null, more))].map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(others.length + 1);
  });
  it('is known by its lasting fields alone, so that it holds when the rest was erased', () => {
    const { entryId: id, digest, ...fields } = first;
    expect(hashOf({ ...fields, id, digest })).toBe(first.hash);
    expect(digest).toBe(digestOf('salt', said));
    expect(digest).not.toBe(digestOf('other', said));
  });
  it('is not older than the one before it', () =>
    expect(next(first, { at: '2020-01-01T00:00:00.000Z' }).createdAt).toBe(first.createdAt));
  it('goes on from what the chain has followed and kept', () =>
    expect(
      next({ ...first, keptFrom: 4, source: '9' }, { source: undefined } as Partial<AuditRecord>),
    ).toMatchObject({
      keptFrom: 4,
      source: '9',
    }));
  it('is signed where that is asked for', () => {
    const [key] = readAuditKeys(Buffer.alloc(32, 1).toString('base64'));
    const signed = nextEntry('team_1', null, said, {
      salt: 'salt',
      sign: (about) => signCheckpoint(key, about),
    });
    expect(signed).toEqual({ ...first, checkpoint: { key: key.publicKey, signature: expect.any(String) } });
  });
  it('is shown with what proves it', () => {
    expect(entryView(first)).toEqual({
      id: 'aud_1',
      teamId: 'team_1',
      createdAt: said.at,
      action: 'team.updated',
      actorUserId: 'usr_1',
      actorName: 'Ann',
      actorTokenId: 'tok_1',
      targetType: 'team',
      targetId: 'team_1',
      ip: '192.0.2.7',
      userAgent: 'curl/8',
      previousHash: noHash,
      hash: first.hash,
      metadata: {
        changed: ['name'],
        proof: { teamId: 'team_1', sequence: 1, keptFrom: 1, salt: 'salt', digest: first.digest },
      },
    });
  });
  it('is shown without its salt when it was erased', () => {
    const erased = { ...first, actorName: null, ip: null, userAgent: null, metadata: null, salt: null };
    const { salt: _, ...proof } = entryView(first).metadata.proof;
    expect(entryView(erased).metadata).toEqual({ proof });
  });
});
