import { type Handled, ignore, ignoring, inBatch, type On } from './on';
import { Projection } from './projection';

interface Bells {
  readonly bell:
    { readonly type: 'Rung'; readonly bell: string } | { readonly type: 'Oiled' } | { readonly type: 'Hung' };
  readonly tower: { readonly type: 'Built' };
}

const tower = { Built: inBatch } satisfies On<Bells>['tower'];
const on = {
  bell: { Rung: inBatch, ...ignoring('Oiled', 'Hung') },
  tower,
} satisfies On<Bells>;

class Rings extends Projection<Bells, typeof on> {
  readonly name = 'rings';
  readonly tables = [];
  readonly on = on;
}

describe('a table of event types', () => {
  it('does not compile with a forgotten or misspelt type or category', () => {
    const { bell } = on;
    const tables: unknown[] = [
      // @ts-expect-error `Hung` is neither handled nor ignored.
      { bell: { Rung: inBatch, Oiled: ignore }, tower } satisfies On<Bells>,
      // @ts-expect-error It is `Oiled`.
      { bell: { Rung: inBatch, ...ignoring('Oilde', 'Hung') }, tower } satisfies On<Bells>,
      // @ts-expect-error There is no event `Struck`.
      { bell, tower: { ...tower, Struck: ignore } } satisfies On<Bells>,
      // @ts-expect-error `tower` is missing.
      { bell } satisfies On<Bells>,
    ];
    expect(tables).not.toContainEqual(on);
  });

  it('says which events are applied: those that it does not ignore', () => {
    const applied: Handled<Bells, typeof on>[] = [{ type: 'Rung', bell: 'front' }, { type: 'Built' }];
    // @ts-expect-error `Oiled` is ignored.
    const oiled: (typeof applied)[number] = { type: 'Oiled' };
    const anyTable: Handled<Bells, On<Bells>>[] = [...applied, { type: 'Oiled' }];
    expect(anyTable).toEqual([...applied, oiled]);
  });

  it('is the table of the projection that applies them', () => {
    class Counted extends Rings {
      override concerns({ event }: Parameters<NonNullable<Rings['concerns']>>[0]): boolean {
        // @ts-expect-error `Oiled` is ignored.
        return event.type !== 'Oiled';
      }
    }
    class Other extends Projection<Bells, typeof on> {
      readonly name = 'other';
      readonly tables = [];
      // @ts-expect-error `Oiled` is ignored in the table of its events.
      readonly on = { ...on, bell: { ...on.bell, Oiled: inBatch } } satisfies On<Bells>;
    }
    expect([new Counted().on.bell.Oiled, new Other().on.bell.Oiled]).toEqual([ignore, inBatch]);
  });
});
