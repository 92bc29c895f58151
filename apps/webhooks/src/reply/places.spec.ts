import { Busy, least, most, type Placed, Places } from './places';

const to = (endpoint: string, account = 'usr_1', host = 'a.test'): Placed => ({
  webhook_id: endpoint,
  account_id: account,
  host,
});
const times = (count: number, job: Placed): Placed[] => Array.from({ length: count }, () => job);
/** How many requests more there are places for. */
const placesFor = (job: Placed, places: Places, underway: readonly Placed[] = []): number => {
  const busy = new Busy(places, underway);
  let count = 0;
  for (; busy.hasPlaceFor(job); count += 1) busy.add(job);
  return count;
};
const answering = (count: number, deliveredMs: number | undefined, job = to('whk_1')): Places => {
  const places = new Places();
  for (let n = 0; n < count; n += 1) places.record(job, deliveredMs);
  return places;
};

describe('an endpoint', () => {
  it('has few places at first', () => {
    expect(placesFor(to('whk_1'), new Places())).toBe(least.toEndpoint);
  });

  it('gets one more with each fast answer, up to the most', () => {
    expect(placesFor(to('whk_1'), answering(3, 20))).toBe(least.toEndpoint + 3);
    expect(answering(500, 20).toEndpoint.of('whk_1')).toBe(most.toEndpoint);
    expect(placesFor(to('whk_1'), answering(500, 20))).toBe(most.toEndpoint);
  });

  it.each([
    ['fails', undefined],
    ['is slow', 1_001],
  ])('loses half of them when it %s, down to the least', (_, ms) => {
    const places = answering(500, 20);
    places.record(to('whk_1'), ms);
    expect(places.toEndpoint.of('whk_1')).toBe(most.toEndpoint / 2);
    for (let n = 0; n < 5; n += 1) places.record(to('whk_1'), ms);
    expect(places.toEndpoint.of('whk_1')).toBe(least.toEndpoint);
  });

  it('gets nothing by what another answers', () => {
    expect(answering(500, 20).toEndpoint.of('whk_2')).toBe(least.toEndpoint);
  });
});

describe('an account', () => {
  const ofMany = (places: Places, hosts: number): number => {
    const busy = new Busy(places, []);
    let count = 0;
    for (let n = 0; n < 200; n += 1) {
      const job = to(`whk_${n}`, 'usr_1', `h${n % hosts}.test`);
      if (!busy.hasPlaceFor(job)) continue;
      busy.add(job);
      count += 1;
    }
    return count;
  };

  it('has as many places over all its endpoints as it has earned', () => {
    expect(ofMany(new Places(), 10)).toBe(least.ofAccount);
    expect(ofMany(answering(500, 20), 10)).toBe(most.ofAccount);
    expect(ofMany(answering(500, undefined), 10)).toBe(least.ofAccount);
  });

  it('gets no more than half of a host, and no more than is left there to others', () => {
    expect(ofMany(answering(500, 20), 1)).toBe(most.toHost / 2);
    const others = Array.from({ length: 40 }, (_, n) => to(`whk_o${n}`, `usr_o${n}`));
    expect(placesFor(to('whk_1'), answering(500, 20), others)).toBe(12);
    expect(placesFor(to('whk_1'), answering(500, 20), [...others, ...times(24, to('whk_x', 'usr_x'))])).toBe(
      0,
    );
  });
});
