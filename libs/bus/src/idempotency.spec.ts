import { Refused } from '@carillon/eventing';
import { createOnce, insistOnSameUse, newestGeneration } from './idempotency';

describe('the generations of an idempotency key', () => {
  it('are searched for the newest one, among any number', async () => {
    for (const newest of [0, 1, 2, 3, 4, 7, 8, 365, 1000]) {
      let looks = 0;
      const found = await newestGeneration(async (generation) => {
        looks += 1;
        return generation <= newest;
      });
      expect(found).toBe(newest);
      expect(looks).toBeLessThanOrEqual(2 * Math.log2(newest + 2) + 2);
    }
  });

  const at = '2026-11-20T09:00:00.000Z';
  const later = '2026-11-21T09:00:00.000Z';
  const context = { commandId: 'cmd', idempotency: { key: 'bell', fingerprint: 'f' } };

  it('free the key after 24 hours', () => {
    expect(() => insistOnSameUse(at, '2026-11-21T08:59:59.999Z')).not.toThrow();
    expect(() => insistOnSameUse(at, later)).toThrow();
  });

  /** Creates under a key with this many generations, of which all or all but the newest have expired. */
  const trying = async (existing: number, newestIsOver: boolean) => {
    const tried: string[] = [];
    const result = await createOnce(context, {
      idOf: (_key, generation) => `id ${generation}`,
      exists: async (id) => Number(id.slice(3)) < existing,
      attempt: async (id) => {
        tried.push(id);
        const generation = Number(id.slice(3));
        if (generation < existing - 1 || (generation === existing - 1 && newestIsOver))
          insistOnSameUse(at, later);
        return id;
      },
    });
    return { result, tried };
  };

  it('begin with the first one, which is used while the key is new or has not expired', async () => {
    expect(await trying(0, false)).toEqual({ result: 'id 0', tried: ['id 0'] });
    expect(await trying(1, false)).toEqual({ result: 'id 0', tried: ['id 0'] });
  });
  it('use the newest one until it expires, and then the next', async () => {
    expect((await trying(5, false)).result).toBe('id 4');
    expect((await trying(5, true)).result).toBe('id 5');
    expect((await trying(1, true)).result).toBe('id 1');
  });
  it('are not used again when their things were deleted after their retention', async () => {
    const created = new Set<string>();
    const use = (deleted: number) =>
      createOnce(context, {
        idOf: (_key, generation) => `id ${generation}`,
        exists: async (id) => Number(id.slice(3)) < deleted || created.has(id),
        attempt: async (id) => {
          if (Number(id.slice(3)) < deleted) throw new Refused('stream.deleted');
          return created.has(id) ? `${id} again` : (created.add(id), id);
        },
      });
    expect(await use(90)).toBe('id 90');
    expect(await use(90)).toBe('id 90 again');
  });
  it('do not exist without a key: the command id is used', async () => {
    const { commandId } = context;
    const asked = { idOf: (...parts: string[]) => parts.join(' '), attempt: async (id: string) => id };
    const exists = async (): Promise<boolean> => true;
    expect(await createOnce({ commandId }, { ...asked, exists })).toBe('cmd');
    expect(await createOnce(context, { ...asked, exists })).toBe('bell 0');
  });
  it('do not hide an error of the attempt', () =>
    expect(
      createOnce(context, {
        idOf: String,
        exists: async () => true,
        attempt: async () => Promise.reject(new Error('broken')),
      }),
    ).rejects.toThrow('broken'));
});
