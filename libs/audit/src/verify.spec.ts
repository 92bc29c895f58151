import { randomBytes } from 'node:crypto';
import { jwkOf, readAuditKeys, signCheckpoint } from './checkpoint';
import { csvHeader, csvOf } from './csv';
import {
  digestOf,
  type Erasable,
  hashOf,
  type Lasting,
  noHash,
  type EntryView,
  signedActions,
} from './entry';
import { readExport } from './read-export';
import { type VerificationReport, verify, type VerifyOptions } from './verify';

const [key] = readAuditKeys(randomBytes(32).toString('base64'));
const [otherKey] = readAuditKeys(Buffer.alloc(32, 7).toString('base64'));

type Said = Partial<Erasable & Pick<Lasting, 'action' | 'keptFrom' | 'teamId' | 'actorUserId'>>;

/** The next entry of a chain. */
function following(before: EntryView | undefined, said: Said = {}, signing = key): EntryView {
  const sequence = (before?.metadata.proof.sequence ?? 0) + 1;
  const salt = `salt ${sequence}`;
  const erasable: Erasable = {
    actorName: 'Ann',
    ip: '192.0.2.7',
    userAgent: 'curl/8',
    metadata: { changed: ['name'], before: { name: 'Old' }, after: { name: 'Nöw, "new"' } },
    ...pick(said, 'actorName', 'ip', 'userAgent', 'metadata'),
  };
  const lasting: Lasting = {
    teamId: 'team_1',
    sequence,
    keptFrom: 1,
    previousHash: before?.hash ?? noHash,
    id: `aud_${sequence}`,
    createdAt: `2026-11-20T09:0${sequence % 10}:00.000Z`,
    action: 'team.updated',
    actorUserId: 'usr_1',
    actorTokenId: null,
    targetType: 'team',
    targetId: 'team_1',
    ...pick(said, 'action', 'keptFrom', 'teamId', 'actorUserId'),
    digest: digestOf(salt, erasable),
  };
  const hash = hashOf(lasting);
  const { teamId, keptFrom, digest, ...shown } = lasting;
  const checkpoint = signedActions.includes(lasting.action)
    ? { checkpoint: signCheckpoint(signing, { teamId, sequence, hash, at: lasting.createdAt }) }
    : {};
  const proof = { teamId, sequence, keptFrom, salt, digest, ...checkpoint };
  const { sequence: _, ...fields } = shown;
  return { ...fields, ...erasable, hash, metadata: { ...erasable.metadata, proof } };
}

const pick = <T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]])) as Pick<T, K>;

/** A chain of the given length, newest entry first, preceded by the entry of its export. */
function exported(count: number, said: Said = {}, more: Record<string, unknown> = {}): EntryView[] {
  const chain: EntryView[] = [];
  for (let made = 0; made < count; made += 1) chain.unshift(following(chain[0], said));
  const metadata = { format: 'csv', rows: count + 1, ...more };
  return [following(chain[0], { action: 'audit.exported', metadata }), ...chain];
}

const csv = (entries: readonly EntryView[]): string => csvHeader + entries.map(csvOf).join('');
const page = (entries: readonly EntryView[], nextCursor: string | null = null): string =>
  JSON.stringify({
    entries: entries.map((entry) => ({ ...entry, teamId: entry.metadata.proof.teamId })),
    nextCursor,
  });
const ofCsv = (entries: readonly EntryView[], options?: VerifyOptions): VerificationReport =>
  verify(readExport([csv(entries)]), options);
const ofPages = (texts: string[], options?: VerifyOptions): VerificationReport =>
  verify(readExport(texts), options);
const erased = (entry: EntryView): EntryView => {
  const { salt: _, ...proof } = entry.metadata.proof;
  return { ...entry, actorName: null, ip: null, userAgent: null, metadata: { proof } };
};

describe('an export as it was written', () => {
  const entries = exported(4);

  it('verifies, with what it proves and what it does not', () => {
    const report = ofCsv(entries, { keys: [jwkOf(key).x] });
    expect(report.finding).toBeUndefined();
    expect(report).toMatchObject({ rows: 5, covered: 5, notProved: [] });
    expect(report.proved.join()).toMatch(/all of 1 to 5.*signed/s);
  });
  it('says that no key was given', () =>
    expect(ofCsv(entries)).toMatchObject({
      covered: 0,
      proved: expect.arrayContaining([expect.stringContaining('consistent with itself')]),
      notProved: [expect.stringContaining('--key')],
    }));
  it('verifies as pages of JSON, one or several', () => {
    expect(ofPages([page(entries)]).finding).toBeUndefined();
    const both = [page(entries.slice(0, 2), 'more'), page(entries.slice(2))];
    expect(ofPages(both).finding).toBeUndefined();
    expect(ofPages([`[${both.join()}]`]).finding).toBeUndefined();
  });
  it('verifies when cells begin like formulas, and like what is made of them', () => {
    for (const text of ['=1', "'=1", '＝1', '-', "'", '@Ann', '\tx', '"', 'a\r\nb', 'Zoë 🔔'])
      expect(ofCsv(exported(2, { actorName: text, userAgent: text })).finding).toBeUndefined();
  });
  it('verifies when persons in it were erased, and counts them', () => {
    const [own, second, ...older] = entries as [EntryView, EntryView, ...EntryView[]];
    const report = ofCsv([own, erased(second), ...older]);
    expect(report.finding).toBeUndefined();
    expect(report.notProved.join()).toContain('1 entries said of persons');
  });
  it('verifies when retention has removed what was before, and says so', () => {
    const kept = exported(4, { keptFrom: 3 }, { rows: 3 }).slice(0, 3);
    const report = ofCsv(kept);
    expect(report.finding).toBeUndefined();
    expect(report.notProved.join()).toContain('entries 1 to 2');
  });
  it('of no entry proves nothing', () => expect(ofPages([page([])]).notProved).toHaveLength(1));
});

describe('one changed character', () => {
  const text = csv(exported(2, { actorName: '=Ann', userAgent: 'a,"b"' }));
  const other = (character: string): string => (character === '1' ? '2' : '1');

  it('anywhere in a CSV does not verify', () => {
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + other(text[at]!) + text.slice(at + 1);
      let finding: unknown;
      try {
        ({ finding } = verify(readExport([changed])));
      } catch (error) {
        finding = error;
      }
      if (!finding) throw new Error(`Not noticed at ${at}: ${text.slice(at - 20, at + 20)}`);
    }
  });
  it('of each field does not verify in JSON', () => {
    const [own, second, first] = exported(2) as [EntryView, EntryView, EntryView];
    for (const name of Object.keys(second) as (keyof EntryView)[]) {
      const value = name === 'metadata' ? { ...second.metadata, more: 1 } : 'x';
      expect(ofPages([page([own, { ...second, [name]: value } as EntryView, first])]).finding).toMatchObject({
        kind: 'altered',
        where: 'entry 2',
      });
    }
    const elsewhere = JSON.parse(page([own, second, first]));
    elsewhere.entries[1].teamId = 'team_2';
    expect(ofPages([JSON.stringify(elsewhere)]).finding).toMatchObject({ kind: 'altered', where: 'entry 2' });
  });
});

describe('what is named is the first', () => {
  const entries = exported(6);
  const without = (...indexes: number[]): EntryView[] =>
    entries.filter((_, index) => !indexes.includes(index));

  it('row that was altered, with the line it stands on', () => {
    const changed = entries.map((entry, index) => (index > 1 ? { ...entry, ip: '192.0.2.8' } : entry));
    expect(ofCsv(changed).finding).toEqual({
      kind: 'altered',
      where: 'line 4',
      what: expect.stringContaining('aud_5: '),
    });
  });
  it('row that is missing within', () =>
    expect(ofCsv(without(2, 3)).finding).toMatchObject({
      kind: 'missing',
      where: 'line 4',
      what: expect.stringContaining('entries 4 to 5 are'),
    }));
  it('row that is missing at the end', () =>
    expect(ofCsv(without(6)).finding).toMatchObject({
      kind: 'missing',
      what: expect.stringContaining('entry 1 is'),
    }));
  it('row that is missing at the beginning', () =>
    expect(ofCsv(without(0)).finding).toMatchObject({ kind: 'missing', where: 'line 2' }));
  it('row that is missing at the end of the last page', () => {
    expect(ofPages([page(without(6))]).finding).toMatchObject({ kind: 'missing' });
    expect(ofPages([page(without(6), 'more')]).finding).toBeUndefined();
  });
  it('row at another position', () => {
    const [own, a, b, ...more] = entries as [EntryView, EntryView, EntryView, ...EntryView[]];
    expect(ofCsv([own, b, a, ...more]).finding).toMatchObject({ kind: 'reordered', where: 'line 3' });
    expect(ofCsv([own, a, a, b, ...more]).finding).toMatchObject({ kind: 'reordered', where: 'line 4' });
  });
  it('row of another chain, though each is right in itself', () => {
    const other = exported(6, { ip: '192.0.2.8' });
    expect(ofCsv([...entries.slice(0, 4), ...other.slice(4)]).finding).toMatchObject({
      kind: 'altered',
      where: 'line 6',
    });
    const strange = exported(6, { teamId: 'team_2' });
    expect(ofCsv([...entries.slice(0, 4), ...strange.slice(4)]).finding).toMatchObject({ kind: 'altered' });
  });
});

describe('an export of which only some was asked for', () => {
  const entries = exported(6);
  const some = entries.filter((_, index) => index % 2 === 1);

  it('lacks entries, which is found unless it is said', () => {
    expect(ofCsv(some).finding).toMatchObject({ kind: 'missing' });
    const report = ofCsv(some, { filtered: true });
    expect(report.finding).toBeUndefined();
    expect(report.notProved.join()).toContain('Whether entries are missing');
  });
  it('says so itself where its own entry is in it', () => {
    const own = exported(6, {}, { actorUserId: 'usr_1', rows: 3 })[0]!;
    expect(ofCsv([own, ...some.slice(1)]).finding).toBeUndefined();
  });
  it('has its rows in order all the same', () =>
    expect(ofCsv([...some].reverse(), { filtered: true }).finding).toMatchObject({ kind: 'reordered' }));
});

describe('a signature', () => {
  const entries = exported(2);
  const [own, ...older] = entries as [EntryView, ...EntryView[]];

  it('of another key is one of nobody here', () => {
    const forged = following(older[0], { action: 'audit.exported', metadata: { rows: 3 } }, otherKey);
    expect(ofCsv([forged, ...older]).finding).toBeUndefined();
    expect(ofCsv([forged, ...older], { keys: [jwkOf(key).x] }).finding).toMatchObject({
      kind: 'altered',
      what: expect.stringContaining('not the installation'),
    });
  });
  it('that was taken off, or made over another entry, is missed', () => {
    const { checkpoint, ...proof } = own.metadata.proof;
    const withProof = (more: object): EntryView =>
      ({ ...own, metadata: { ...own.metadata, proof: { ...proof, ...more } } }) as EntryView;
    expect(ofCsv([withProof({}), ...older]).finding).toMatchObject({
      what: expect.stringContaining('missing'),
    });
    const other = exported(3)[0]!.metadata.proof.checkpoint;
    expect(ofCsv([withProof({ checkpoint: other }), ...older]).finding).toMatchObject({ kind: 'altered' });
    expect(ofCsv([withProof({ checkpoint, more: 1 }), ...older]).finding).toMatchObject({ kind: 'altered' });
  });
  it('does not cover what came after it, until the next', () => {
    const later = following(own);
    const report = ofPages([page([following(later), later, ...entries])], { keys: [jwkOf(key).x] });
    expect(report).toMatchObject({ rows: 5, covered: 3 });
    expect(report.proved.join()).toMatch(/3 of 5 entries are as they were recorded/);
    expect(report.notProved.join()).toContain('entries 5 to 4 are as recorded: no signature');
  });
  it('is not there in an export that anybody has made up: nothing of it is said to be recorded', () => {
    const report = ofPages([page(older)], { keys: [jwkOf(key).x] });
    expect(report).toMatchObject({ rows: 2, covered: 0 });
    expect(report.proved.join()).toContain('consistent with itself');
    expect(report.proved.join()).not.toContain('recorded');
    expect(report.notProved.join()).toContain('entries 2 to 1');
  });
  it('covers nothing beyond a gap, where only some was asked for', () => {
    const [newest, second, , fourth] = exported(4) as [EntryView, EntryView, EntryView, EntryView];
    const report = ofCsv([newest, second, fourth], { filtered: true, keys: [jwkOf(key).x] });
    expect(report).toMatchObject({ rows: 3, covered: 2 });
    expect(report.notProved.join()).toContain('entry 2 is as recorded: no signature');
  });
  it('needs a key of 32 bytes', () => expect(() => readAuditKeys('c2hvcnQ=')).toThrow('CARILLON_AUDIT_KEY'));
});

describe('what is no export', () => {
  it.each([[''], ['nothing'], ['{'], ['{"a":1}'], ['a,b\r\n1,2\r\n']])('is refused: %j', (text) =>
    expect(() => readExport([text])).toThrow(expect.objectContaining({ name: 'NoExport' })),
  );
  it('verifies nothing that only looks like an erased entry', () => {
    const [own, second, first] = exported(2) as [EntryView, EntryView, EntryView];
    const half = { ...erased(second), actorName: 'Mallory' };
    expect(ofCsv([own, half, first]).finding).toMatchObject({ kind: 'altered', where: 'line 3' });
  });
});
