import { eventAt, linkTo } from './delivery-task';

describe('the link to an event', () => {
  it('resolves to the event', () =>
    expect(eventAt(linkTo({ stream: 'page-0123456789abcdef', revision: 12n }))).toEqual({
      stream: 'page-0123456789abcdef',
      revision: 12n,
    }));

  it('without a revision resolves to the first event of the stream', () =>
    expect(eventAt('notification-0123456789abcdef')).toEqual({
      stream: 'notification-0123456789abcdef',
      revision: 0n,
    }));
});
