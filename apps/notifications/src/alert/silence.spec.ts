import { nextLook, silenceEvent, type Watched } from './silence';

const at = (minute: number): string => `2026-11-26T09:${String(minute).padStart(2, '0')}:00.000Z`;
const watched = (more: Partial<Watched>): Watched => ({
  service: { title: 'Backup', expectEverySeconds: 600, graceSeconds: 60 },
  lastCall: at(0),
  silentSince: null,
  deafMs: 0,
  isPageable: false,
  at: at(5),
  ...more,
});

describe('the silence of a sender', () => {
  it('is not told of before its time and its grace are over', () => {
    expect(nextLook(watched({}))).toEqual({ lookAt: at(11) });
    expect(nextLook(watched({ at: '2026-11-26T09:10:59.999Z' }))).toEqual({ lookAt: at(11) });
    expect(nextLook(watched({ at: at(11) }))).toEqual({ tell: 'silent', silentSince: at(0) });
  });
  it('does not count the time in which nobody could call', () =>
    expect(nextLook(watched({ at: at(11), deafMs: 120_000 }))).toEqual({ lookAt: at(13) }));
  it('is told once, and ends with the next call', () => {
    const silent = watched({ at: at(20), silentSince: at(0) });
    expect(nextLook(silent)).toEqual({ lookAt: '2026-11-26T09:20:15.000Z' });
    expect(nextLook({ ...silent, lastCall: at(19) })).toEqual({ tell: 'heard', silentSince: at(0) });
  });
  it('is told once more when somebody can be paged at last, unless the sender calls', () => {
    const silent = watched({ at: at(20), silentSince: at(0), isPageable: true });
    expect(nextLook(silent)).toEqual({ tell: 'silent', silentSince: at(0) });
    expect(nextLook({ ...silent, lastCall: at(19) })).toEqual({ tell: 'heard', silentSince: at(0) });
  });
  it('is nothing where nobody is expected to call', () =>
    expect(
      nextLook(watched({ service: { title: 'a', expectEverySeconds: null, graceSeconds: 0 }, at: at(59) })),
    ).toBeUndefined());
  it('fires, and is resolved under the same key', () => {
    const [silent, heard] = [
      silenceEvent('Backup', 'silent', at(0)),
      silenceEvent('Backup', 'heard', at(19)),
    ];
    expect(silent).toMatchObject({
      state: 'firing',
      message: { title: 'Firing: Backup is silent', body: `Nothing came since ${at(0)}.` },
    });
    expect(heard).toMatchObject({ state: 'resolved', dedupKey: silent.dedupKey });
  });
});
