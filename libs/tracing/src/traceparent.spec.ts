import { carried, isRecorded, isTraceparent, traceIds } from './traceparent';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const withFlags = (flags: string): string => `00-${traceId}-00f067aa0ba902b7-${flags}`;

describe('a traceparent', () => {
  it('is one of version 00 with ids that are not zero', () => {
    expect(isTraceparent(withFlags('00'))).toBe(true);
    expect(isTraceparent(withFlags('01').replace('00-', '01-'))).toBe(false);
    expect(isTraceparent(withFlags('01').toUpperCase())).toBe(false);
    expect(isTraceparent(`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`)).toBe(false);
    expect(isTraceparent(`00-${traceId}-${'0'.repeat(16)}-01`)).toBe(false);
    expect(isTraceparent([withFlags('01')])).toBe(false);
    expect(isTraceparent(undefined)).toBe(false);
  });

  it.each(['01', '03', '0b', 'ff'])('with the flags %s is of a trace that is recorded', (flags) =>
    expect(isRecorded(withFlags(flags))).toBe(true),
  );

  it.each(['00', '02', '0a', 'fe'])('with the flags %s is of none', (flags) =>
    expect(isRecorded(withFlags(flags))).toBe(false),
  );

  it('is believed only where it is one: old events may hold anything', () => {
    expect(isRecorded(`${'x'.repeat(54)}1`)).toBe(false);
    expect(isRecorded(undefined)).toBe(false);
  });

  it('is passed on where its trace is recorded, and is omitted where it is not', () => {
    expect(carried(withFlags('01'))).toEqual({ traceparent: withFlags('01') });
    expect(carried(withFlags('00'))).toEqual({});
    expect(carried(undefined)).toEqual({});
  });

  it.each(['00', '01'])('with the flags %s has ids for the lines of the log', (flags) =>
    expect(traceIds(withFlags(flags))).toEqual({ traceId, spanId: '00f067aa0ba902b7' }),
  );

  it.each([undefined, null, 'none', 1, {}])('is none in %p, which has no ids for the log', (given) =>
    expect(traceIds(given)).toEqual({}),
  );
});
