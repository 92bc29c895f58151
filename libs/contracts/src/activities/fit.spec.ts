import { activityLayouts } from './activities.events';
import { overflowMessage, overflowsOf, textBudgets, visibleCharacters } from './fit';

const short = {
  title: 'Build',
  subtitle: null,
  status: null,
  detail: null,
  progress: null,
  layout: 'standard',
} as const;
const long = (count: number) => 'x'.repeat(count);

describe('visible characters', () => {
  it('are counted as a reader counts them', () => {
    expect(visibleCharacters('Build')).toBe(5);
    expect(visibleCharacters('👨‍👩‍👧🇩🇪e\u0301')).toBe(3);
    expect(visibleCharacters('')).toBe(0);
  });
});

describe('the text of an activity', () => {
  it.each(activityLayouts)('fits %s up to its budgets and not beyond', (layout) => {
    const { title, line2, detail } = textBudgets[layout];
    const full = {
      ...short,
      layout,
      title: long(title),
      subtitle: long(line2),
      detail: long(detail),
    };
    expect(overflowsOf(full)).toEqual([]);
    expect(overflowsOf({ ...full, title: long(title + 1) })).toEqual([
      { surface: 'expanded', prop: 'title', visible: title + 1, budget: title },
    ]);
    expect(overflowsOf({ ...full, detail: long(detail + 1) })).toEqual([
      { surface: 'expanded', prop: 'detail', visible: detail + 1, budget: detail },
    ]);
  });
  it('has the budgets of the specification', () =>
    expect(textBudgets).toEqual({
      standard: { title: 32, line2: 36, detail: 100 },
      ring: { title: 32, line2: 30, detail: 80 },
      hero: { title: 24, line2: 36, detail: 100 },
      terminal: { title: 36, line2: 40, detail: 100 },
      steps: { title: 32, line2: 36, detail: 100 },
    }));
  it('runs on from line 2 into the area of the detail, which both share', () => {
    expect(overflowsOf({ ...short, subtitle: long(60) })).toEqual([]);
    expect(overflowsOf({ ...short, subtitle: long(40), detail: long(96) })).toEqual([]);
    expect(overflowsOf({ ...short, subtitle: long(40), detail: long(97) })).toEqual([
      { surface: 'expanded', prop: 'detail', visible: 101, budget: 100 },
    ]);
    expect(overflowsOf({ ...short, subtitle: long(137) })).toEqual([
      { surface: 'expanded', prop: 'subtitle', visible: 137, budget: 136 },
    ]);
  });
  it('has the subtitle on line 2 instead of the status, and the status where there is none', () => {
    const ring = { ...short, layout: 'ring', progress: 0.5 } as const;
    expect(overflowsOf({ ...ring, subtitle: 'Linux', status: long(40), detail: long(80) })).toEqual([]);
    expect(overflowsOf({ ...ring, status: long(40), detail: long(80) })).toEqual([
      { surface: 'expanded', prop: 'detail', visible: 90, budget: 80 },
    ]);
  });
});

describe('the status in the compact view', () => {
  const nine = { ...short, status: 'Deploying' };
  it('has space for eight', () => {
    expect(overflowsOf({ ...short, status: 'Building' })).toEqual([]);
    expect(overflowsOf(nine)).toEqual([{ surface: 'compact', prop: 'status', visible: 9, budget: 8 }]);
  });
  it('is kept beside a subtitle', () => expect(overflowsOf({ ...nine, subtitle: 'Linux' })).toHaveLength(1));
  it('gives way to the percentage, which always fits', () => {
    expect(overflowsOf({ ...nine, progress: 0.5 })).toEqual([]);
    expect(overflowsOf({ ...nine, progress: 0 })).toEqual([]);
  });
  it('is hidden in a terminal, so that nothing of it is cut', () =>
    expect(overflowsOf({ ...nine, layout: 'terminal' })).toEqual([]));
});

describe('the word on text that does not fit', () => {
  it('is not said when all of it does', () => expect(overflowMessage(short)).toBeUndefined());
  it('names what is cut and where, and how much space there is', () =>
    expect(overflowMessage({ ...short, title: long(40), status: 'Deploying' })).toBe(
      'Phones may cut some text: title expanded (40 characters, space for about 32), ' +
        'status in the compact view (9 characters, space for about 8).',
    ));
});
