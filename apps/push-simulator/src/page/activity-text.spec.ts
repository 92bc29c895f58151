import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compactText,
  expandedText,
  fit,
  layoutOf,
  percentOf,
  progressOf,
  timerText,
} from './activity-text.js';

const letters = (count: number) => 'm'.repeat(count);

describe('the text of an activity', () => {
  it.each([
    ['standard', 32, 36],
    ['ring', 32, 30],
    ['hero', 24, 36],
    ['terminal', 36, 40],
    ['steps', 32, 36],
  ])('has the budgets of the layout %s', (layout, title, line) => {
    const text = (over: number) =>
      expandedText({ layout, title: letters(title + over), status: letters(line + over) });
    expect(text(0)).toEqual({ title: letters(title), line: letters(line), detail: '' });
    expect(text(1)).toEqual({ title: `${letters(title - 1)}…`, line: letters(line), detail: 'm' });
  });

  it('has a subtitle instead of the status', () => {
    expect(expandedText({ title: 'a', subtitle: 'sub', status: 'now' }).line).toBe('sub');
    expect(expandedText({ title: 'a', status: 'now' }).line).toBe('now');
    expect(expandedText({ title: 'a', subtitle: null, status: 'now' }).line).toBe('now');
  });

  it('puts what does not fit its line before the detail, broken at a space', () => {
    const subtitle = 'Compiling the gateway and all services';
    expect(expandedText({ title: 'a', subtitle, detail: 'Step 3 of 9' })).toMatchObject({
      line: 'Compiling the gateway and all',
      detail: 'services\nStep 3 of 9',
    });
  });

  it('cuts the detail at its budget', () => {
    expect(expandedText({ layout: 'ring', title: 'a', detail: letters(81) }).detail).toBe(`${letters(79)}…`);
  });

  it('is counted in characters as people see them', () => {
    expect(fit('👩‍👩‍👧é', 2)).toBe('👩‍👩‍👧é');
    expect(fit('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 2)).toBe('👩‍👩‍👧…');
  });

  it('is nothing where something else than a text was sent', () => {
    expect(expandedText({ title: 7, subtitle: {}, status: [], detail: null })).toEqual({
      title: '',
      line: '',
      detail: '',
    });
  });
});

describe('the small presentation', () => {
  it('shows the percentage before the status', () => {
    expect(compactText({ title: 'a', status: 'now', progress: 0.4 })).toBe('40%');
    expect(compactText({ title: 'a', status: 'now', progress: 0 })).toBe('0%');
  });

  it('shows eight characters of the status without progress, and never title, subtitle or detail', () => {
    const content = { title: 'a', subtitle: 'b', detail: 'c' };
    expect(compactText({ ...content, status: 'building' })).toBe('building');
    expect(compactText({ ...content, status: 'buildings' })).toBe('buildin…');
    expect(compactText(content)).toBe('');
  });

  it('shows no status of a terminal', () => {
    expect(compactText({ layout: 'terminal', title: 'a', status: 'now' })).toBe('');
    expect(compactText({ layout: 'terminal', title: 'a', status: 'now', progress: 1 })).toBe('100%');
  });
});

describe('numbers of an activity', () => {
  it('are a percentage that says all only when all is done', () => {
    expect([0, 0.004, 0.5, 0.999, 1].map(percentOf)).toEqual(['0%', '0%', '50%', '99%', '100%']);
  });

  it('are no progress when there is none', () => {
    expect([undefined, null, '0.5', NaN].map((progress) => progressOf({ progress }))).toEqual(
      Array(4).fill(undefined),
    );
    expect([-1, 2].map((progress) => progressOf({ progress }))).toEqual([0, 1]);
  });

  it('are minutes and seconds, with hours when there are some', () => {
    expect([-5, 59_999, 60_000, 3_599_000, 3_600_000, 36_061_000].map(timerText)).toEqual([
      '0:00',
      '0:59',
      '1:00',
      '59:59',
      '1:00:00',
      '10:01:01',
    ]);
  });

  it('belong to the standard layout when the layout is another', () => {
    expect(
      [undefined, null, 'pie', '__proto__', 'toString', 'ring'].map((layout) => layoutOf({ layout })),
    ).toEqual([...Array<string>(5).fill('standard'), 'ring']);
  });
});

describe('the scripts of the page', () => {
  it('never make markup out of text', () => {
    const scripts = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(3);
    for (const name of scripts)
      expect(readFileSync(join(import.meta.dirname, name), 'utf8')).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTML|createContextualFragment/,
      );
  });
});
