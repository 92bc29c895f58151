import { BadFilter, Checkpoints, matcher } from './filter';

const event = { stream: 'order-1', type: 'OrderPlaced' };

describe('a filter', () => {
  it('looks for prefixes of the stream name', () => {
    expect(matcher({ on: 'stream', prefixes: ['cart-', 'order-'] })(event)).toBe(true);
    expect(matcher({ on: 'stream', prefixes: ['Order'] })(event)).toBe(false);
  });
  it('looks for prefixes of the event type', () =>
    expect(matcher({ on: 'type', prefixes: ['Order'] })(event)).toBe(true));
  it('takes a regular expression', () => {
    expect(matcher({ on: 'type', regex: '^[^$].*' })(event)).toBe(true);
    expect(matcher({ on: 'type', regex: '^[^$].*' })({ stream: 's', type: '$metadata' })).toBe(false);
    expect(matcher({ on: 'stream', regex: '-1$' })(event)).toBe(true);
  });
  it('is refused when it is no regular expression, or empty', () => {
    expect(() => matcher({ on: 'type', regex: '(' })).toThrow(BadFilter);
    expect(() => matcher({ on: 'type' })).toThrow(BadFilter);
  });
});

describe('checkpoints', () => {
  const after = (every: number, use: (checkpoints: Checkpoints) => void) => {
    const sent: number[] = [];
    use(new Checkpoints(every, (position) => sent.push(position)));
    return sent;
  };
  it('come after each n considered events', () =>
    expect(after(3, (c) => [10, 20, 30, 40, 50, 60, 70].forEach((at) => c.consider(at)))).toEqual([30, 60]));
  it('come when the end is reached', () =>
    expect(after(3, (c) => ([10, 20].forEach((at) => c.consider(at)), c.reach(20)))).toEqual([20]));
  it('never come twice for the same position', () =>
    expect(after(2, (c) => ([10, 20].forEach((at) => c.consider(at)), c.reach(20)))).toEqual([20]));
});
