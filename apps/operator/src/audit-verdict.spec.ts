import { verdictOf } from './audit-verdict';

const whole = { rows: 2, covered: 2, proved: ['the order'], notProved: ['the end'] };

it('tells who reads the output and who reads the exit code alone the same', () => {
  const said = (report: Parameters<typeof verdictOf>[0], hasKeys: boolean) => {
    const { code, said } = verdictOf(report, hasKeys);
    return [code, said];
  };
  expect(said(whole, true)).toEqual([0, 'VERIFIED: 2 entries']);
  expect(said({ ...whole, covered: 0 }, false)).toEqual([0, 'CONSISTENT WITH ITSELF: 2 entries']);
  const uncovered = 'NOT COVERED: a signature of the key covers 1 of 2 entries';
  expect(said({ ...whole, covered: 1 }, true)).toEqual([3, uncovered]);
  // An export without entries proves nothing, whatever the keys.
  expect(said({ ...whole, rows: 0, covered: 0 }, true)[0]).toBe(3);
  const finding = { kind: 'altered', where: 'line 2', what: 'aud_1: its hash is another' } as const;
  expect(said({ ...whole, finding }, true)).toEqual([1, 'ALTERED: line 2: aud_1: its hash is another']);
  expect(said({ ...whole, finding }, false)[0]).toBe(1);
});

it('lists what holds and what is not proved', () =>
  expect(verdictOf(whole, true).details).toEqual(['  holds: the order', '  not proved: the end']));
