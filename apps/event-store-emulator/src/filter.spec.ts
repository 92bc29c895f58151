import { Checkpoints } from './checkpoints';
import { BadFilter, matcher } from './filter';

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
  });
  it('matches nothing when it says nothing', () => {
    expect(matcher({ on: 'type' })({ stream: 's', type: 'T' })).toBe(false);
  });
});

describe('checkpoints', () => {
  /** Ten bytes for each event; the letters say which match. Behind the line it is live. */
  const after = (window: number, interval: number, events: string) => {
    const sent: string[] = [];
    const checkpoints = new Checkpoints(
      { window, checkpointEvery: window * interval },
      0,
      ({ commit, prepare }) => sent.push(`${commit}/${prepare}`),
    );
    const [before = '', live = ''] = events.split('|');
    [...before].forEach((each, i) => checkpoints.consider(i * 10, (i + 1) * 10, each === 'm', false));
    [...live].forEach((each, i) => {
      const at = (before.length + i) * 10;
      checkpoints.consider(at, at + 10, each === 'm', true);
    });
    return sent;
  };
  it('come with each full page, at its start when nothing in it matched', () =>
    expect(after(3, 1, '-------')).toEqual(['0/0', '30/0']));
  it('name the last match of the page', () => expect(after(3, 1, 'm--mm--')).toEqual(['0/0', '40/40']));
  it('come after so many pages as the interval says', () =>
    expect(after(2, 2, '--------')).toEqual(['20/0', '60/0']));
  it('come with 32 matches, for no page has more', () =>
    expect(after(1000, 1, 'm'.repeat(1100))).toEqual(['10230/10230']));
  it('do not come when the end is reached', () => expect(after(3, 1, '--')).toEqual([]));
  it('live name the event at which enough were considered, those of the last page too', () =>
    expect(after(3, 1, '--|----')).toEqual(['20/20', '50/50']));
});
