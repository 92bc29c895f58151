// What of an activity's text fits where. Budgets are in characters as people count them.

const budgets = {
  standard: { title: 32, line: 36, detail: 100 },
  ring: { title: 32, line: 30, detail: 80 },
  hero: { title: 24, line: 36, detail: 100 },
  terminal: { title: 36, line: 40, detail: 100 },
  steps: { title: 32, line: 36, detail: 100 },
};
const compactStatus = 8;
const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const characters = (text) => Array.from(segments.segment(text), ({ segment }) => segment);
const textOf = (value) => (typeof value === 'string' ? value : '');

/** The layout that is drawn: one of the five. */
export const layoutOf = (content) => (Object.hasOwn(budgets, content.layout) ? content.layout : 'standard');

/** The part of a text that fits, the last character an ellipsis when some is left out. */
export function fit(text, budget) {
  const all = characters(text);
  return all.length <= budget ? text : `${all.slice(0, Math.max(0, budget - 1)).join('')}…`;
}

/** The progress from 0 to 1; undefined when there is none. */
export function progressOf({ progress }) {
  return typeof progress === 'number' && Number.isFinite(progress)
    ? Math.min(1, Math.max(0, progress))
    : undefined;
}

/** A percentage that says 100 % only when all is done. */
export const percentOf = (progress) => `${progress < 1 ? Math.min(99, Math.round(progress * 100)) : 100}%`;

/** The lock screen: a subtitle replaces the status, and what does not fit its line goes to the detail. */
export function expandedText(content) {
  const budget = budgets[layoutOf(content)];
  const second = characters(textOf(content.subtitle) || textOf(content.status));
  const fits = second.length <= budget.line;
  // Broken at a space where there is one in the second half of the line.
  const space = fits ? -1 : second.slice(0, budget.line).lastIndexOf(' ');
  const end = fits ? second.length : space > budget.line / 2 ? space : budget.line;
  const rest = second.slice(end).join('').trim();
  const detail = [rest, textOf(content.detail)].filter((part) => part !== '').join('\n');
  return {
    title: fit(textOf(content.title), budget.title),
    line: second.slice(0, end).join(''),
    detail: fit(detail, budget.detail),
  };
}

/**
 * The small presentation: no title, subtitle or detail. A percentage goes before the status; a terminal has no status.
 */
export function compactText(content) {
  const progress = progressOf(content);
  if (progress !== undefined) return percentOf(progress);
  return layoutOf(content) === 'terminal' ? '' : fit(textOf(content.status), compactStatus);
}

/** Minutes and seconds, or hours too, of a time that runs; never below zero. */
export function timerText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
