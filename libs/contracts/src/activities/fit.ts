import type { ActivityLayout, ActivityProps } from './activities.events';

/**
 * Visible characters that fit into a layout. These are estimates: the actual limits depend on glyphs, the device and
 * the text size that its owner has chosen.
 */
export const textBudgets: Readonly<
  Record<ActivityLayout, { readonly title: number; readonly line2: number; readonly detail: number }>
> = {
  standard: { title: 32, line2: 36, detail: 100 },
  ring: { title: 32, line2: 30, detail: 80 },
  hero: { title: 24, line2: 36, detail: 100 },
  terminal: { title: 36, line2: 40, detail: 100 },
  steps: { title: 32, line2: 36, detail: 100 },
};

/** The budget of the status in the compact presentation and small banners. */
const compactStatus = 8;

/** Where a text is shown: `expanded` includes the lock screen, `compact` includes small banners. */
export type Surface = 'expanded' | 'compact';

export interface Overflow {
  readonly surface: Surface;
  readonly prop: 'title' | 'subtitle' | 'status' | 'detail';
  /** The number of visible characters of the text, and the number that fits. */
  readonly visible: number;
  readonly budget: number;
}

type Texts = Pick<ActivityProps, 'title' | 'subtitle' | 'status' | 'detail' | 'progress' | 'layout'>;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Counts characters as a reader does: an emoji of seven code points is one. */
export function visibleCharacters(text: string): number {
  let count = 0;
  for (const _ of graphemes.segment(text)) count += 1;
  return count;
}

/** The texts that will be truncated, and where. */
export function overflowsOf({ title, subtitle, status, detail, progress, layout }: Texts): Overflow[] {
  const budget = textBudgets[layout];
  const found: Overflow[] = [];
  const note = (surface: Surface, prop: Overflow['prop'], visible: number, space: number): void => {
    if (visible > space) found.push({ surface, prop, visible, budget: space });
  };
  note('expanded', 'title', visibleCharacters(title), budget.title);

  // Line 2 is the subtitle, else the status. Its overflow continues in the area of the detail.
  const line2 = subtitle === null ? ('status' as const) : ('subtitle' as const);
  const line2Visible = visibleCharacters((subtitle ?? status) || '');
  const detailVisible = visibleCharacters(detail ?? '');
  const runsOn = Math.max(0, line2Visible - budget.line2);
  if (detail === null) note('expanded', line2, line2Visible, budget.line2 + budget.detail);
  else note('expanded', 'detail', detailVisible + runsOn, budget.detail);

  // A percentage replaces the status here, and a terminal never shows a status here.
  if (status !== null && progress === null && layout !== 'terminal')
    note('compact', 'status', visibleCharacters(status), compactStatus);
  return found;
}

const where: Record<Surface, string> = { expanded: 'expanded', compact: 'in the compact view' };

/** The message to the sender about texts that will be truncated; undefined when all fit. */
export function overflowMessage(props: Texts): string | undefined {
  const found = overflowsOf(props);
  if (found.length === 0) return undefined;
  const parts = found.map(
    ({ surface, prop, visible, budget }) =>
      `${prop} ${where[surface]} (${visible} characters, space for about ${budget})`,
  );
  return `Phones may cut some text: ${parts.join(', ')}.`;
}
