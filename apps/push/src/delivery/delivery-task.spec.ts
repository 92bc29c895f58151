import { eventAt, linkTo } from './delivery-task';

describe('the link to an event', () => {
  it('leads back to it', () =>
    expect(eventAt(linkTo({ stream: 'page-0123456789abcdef', revision: 12n }))).toEqual({
      stream: 'page-0123456789abcdef',
      revision: 12n,
    }));

  it('of work from before there were links is the first of its stream', () =>
    expect(eventAt('notification-0123456789abcdef')).toEqual({
      stream: 'notification-0123456789abcdef',
      revision: 0n,
    }));
});
