// How a live activity looks: on the lock screen, and small beside the camera or in the status bar. All text goes in
// as text, never as markup.

import { compactText, expandedText, layoutOf, percentOf, progressOf, timerText } from './activity-text.js';
import { buttons, head, make } from './element.js';

const glyphs = { running: '●', waiting: '?', success: '✓', warning: '!', error: '✕' };
const stepGlyphs = { pending: '○', active: '●', done: '✓', failed: '✕' };
const stepWords = { pending: 'to do', active: 'now', done: 'done', failed: 'failed' };
const svgSpace = 'http://www.w3.org/2000/svg';
const ringLength = 2 * Math.PI * 42;

const tintOf = (content) => (Object.hasOwn(glyphs, content.state) ? content.state : 'running');
const isOver = (activity) => activity.state === 'ended' || activity.state === 'dismissed';

/** The sign of an activity: an emoji as it is; names of symbols are the phone's own, so the state's sign stands in. */
function icon(content) {
  const tint = tintOf(content);
  const given = typeof content.icon === 'string' ? content.icon : '';
  const emoji = given !== '' && !/^[a-z0-9._-]+$/.test(given);
  const sign = make('span', `sign${emoji ? ' emoji' : ''}`, emoji ? given : glyphs[tint]);
  sign.setAttribute('role', 'img');
  sign.setAttribute('aria-label', tint);
  if (given && !emoji) sign.title = given;
  return sign;
}

/** The state as a class, and the caller's own colour over it. */
function tint(element, content) {
  element.classList.add(`tint-${tintOf(content)}`);
  if (/^#[0-9a-f]{6}$/i.test(content.accentColor ?? ''))
    element.style.setProperty('--progress', content.accentColor);
}

function meter(element, progress) {
  element.setAttribute('role', 'progressbar');
  element.setAttribute('aria-label', 'Progress');
  element.setAttribute('aria-valuemin', '0');
  element.setAttribute('aria-valuemax', '100');
  element.setAttribute('aria-valuenow', String(Math.round(progress * 100)));
  return element;
}

function bar(progress) {
  const track = meter(make('div', 'track'), progress);
  const fill = make('div', 'track-fill');
  fill.dataset.moves = 'width';
  fill.style.width = `${progress * 100}%`;
  track.append(fill);
  return track;
}

function shape(name, attributes) {
  const element = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** A ring that fills clockwise from the top; without progress the sign alone is in it. */
function ring(content, progress) {
  const holder = make('div', 'ring');
  const drawing = shape('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' });
  drawing.append(shape('circle', { class: 'ring-track', cx: 50, cy: 50, r: 42 }));
  if (progress !== undefined) {
    const arc = shape('circle', {
      class: 'ring-arc',
      cx: 50,
      cy: 50,
      r: 42,
      transform: 'rotate(-90 50 50)',
      'stroke-dasharray': ringLength,
    });
    // Nothing at all is drawn at zero: a round end would leave a dot.
    if (progress === 0) arc.setAttribute('stroke-linecap', 'butt');
    arc.dataset.moves = 'strokeDashoffset';
    arc.style.strokeDashoffset = String(ringLength * (1 - progress));
    drawing.append(arc);
    meter(holder, progress);
  }
  holder.append(drawing);
  if (progress === undefined) holder.append(icon(content));
  else holder.append(make('span', 'ring-text', percentOf(progress)));
  return holder;
}

function steps(content) {
  const list = make('ol', 'steps');
  for (const step of Array.isArray(content.steps) ? content.steps : []) {
    const state = Object.hasOwn(stepGlyphs, step?.state) ? step.state : 'pending';
    const item = make('li', `step step-${state}`);
    const sign = make('span', 'step-sign', stepGlyphs[state]);
    sign.setAttribute('aria-hidden', 'true');
    item.append(sign, make('span', 'step-label', step?.label ?? ''));
    item.append(make('span', 'hidden', ` (${stepWords[state]})`));
    if (state === 'active') item.setAttribute('aria-current', 'step');
    list.append(item);
  }
  return list.children.length > 0 ? [list] : [];
}

function terminal(content) {
  const screen = make('div', 'terminal');
  for (const line of Array.isArray(content.lines) ? content.lines : []) screen.append(make('div', '', line));
  return screen.children.length > 0 ? [screen] : [];
}

/** A timer that the page moves on every second: up from the start, or down to the end. */
function timers(activity) {
  const { startedAt, endsAt } = activity.contentState;
  const made = [];
  const add = (kind, time, words) => {
    if (Number.isNaN(Date.parse(time ?? ''))) return;
    const element = make('span', 'timer');
    element.setAttribute('role', 'timer');
    element.setAttribute('aria-live', 'off');
    element.dataset[kind] = time;
    if (isOver(activity)) element.dataset.still = activity.endedAt;
    element.title = words;
    made.push(element);
  };
  add('since', startedAt, 'running for');
  add('until', endsAt, 'left');
  return made;
}

/** Sets every timer under an element to a time of the phones. */
export function tick(root, now) {
  for (const element of root.querySelectorAll('.timer')) {
    const at = element.dataset.still ? Date.parse(element.dataset.still) : now;
    const text = element.dataset.since
      ? timerText(at - Date.parse(element.dataset.since))
      : `−${timerText(Date.parse(element.dataset.until) - at)}`;
    if (element.textContent !== text) element.textContent = text;
  }
}

function note(activity) {
  const at = (time) => new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  if (activity.state === 'stale') return `Out of date since ${at(activity.staleDate)}`;
  if (activity.state !== 'ended') return undefined;
  return activity.endedBy === 'a push' ? 'Ended' : `Ended by ${activity.endedBy}`;
}

/** The card on the lock screen, with what a person can do. */
export function activityCard(activity, { platform, interactive, press, dismiss, register }) {
  const content = activity.contentState;
  const layout = layoutOf(content);
  const progress = progressOf(content);
  const text = expandedText(content);
  const card = make('article', `card activity layout-${layout}`);
  card.setAttribute('aria-label', `Live activity: ${text.title}`);
  card.classList.toggle('stale', activity.state === 'stale');
  card.classList.toggle('over', isOver(activity));
  tint(card, content);

  const row = head(activity.updatedAt);
  const away = make('button', 'away', '×');
  away.type = 'button';
  away.dataset.focus = 'away';
  away.setAttribute('aria-label', `Dismiss ${text.title}`);
  away.addEventListener('click', dismiss);
  row.append(away);
  card.append(row);

  const words = make('div', 'words');
  const title = make('div', 'card-title');
  if (layout !== 'ring' || progress !== undefined) title.append(icon(content), ' ');
  title.append(text.title);
  words.append(title);
  const times = timers(activity);
  if (text.line || times.length > 0) {
    const line = make('div', 'card-row');
    line.append(make('span', 'line', text.line));
    line.append(...times);
    words.append(line);
  }
  const detail = text.detail ? [make('div', 'detail', text.detail)] : [];

  switch (layout) {
    case 'ring': {
      const beside = make('div', 'beside');
      words.append(...detail);
      beside.append(ring(content, progress), words);
      card.append(beside);
      break;
    }
    case 'hero': {
      const big = make('div', 'hero');
      if (progress !== undefined) big.append(make('span', 'hero-number', percentOf(progress)));
      else big.append(make('span', 'hero-number', content.status ?? glyphs[tintOf(content)]));
      card.append(big, words);
      if (progress !== undefined) card.append(bar(progress));
      card.append(...detail);
      break;
    }
    case 'terminal':
      card.append(words, ...terminal(content));
      if (progress !== undefined) card.append(bar(progress));
      card.append(...detail);
      break;
    case 'steps':
      card.append(words, ...steps(content));
      if (progress !== undefined) card.append(bar(progress));
      card.append(...detail);
      break;
    default: {
      card.append(words);
      if (progress !== undefined) {
        const line = make('div', 'card-row middle');
        line.append(bar(progress), make('span', 'percent', percentOf(progress)));
        card.append(line);
      }
      card.append(...detail);
    }
  }

  const prompt = content.prompt;
  if (prompt && !isOver(activity)) {
    const actions = prompt.actions.map(({ id, label }) => ({ answer: id, label }));
    card.append(...buttons(prompt.id, actions, prompt.kind === 'reply', press));
    if (platform === 'ios' && !interactive)
      card.append(make('div', 'card-note', 'No buttons on this iPhone: a tap opens them in the app.'));
  }
  if (register) {
    const line = make('div', 'card-row middle');
    const send = make('button', 'send-token', 'Send it');
    send.type = 'button';
    send.dataset.focus = 'register';
    send.addEventListener('click', register);
    line.append(make('span', 'card-note', 'The service has no update token.'), send);
    card.append(line);
  }
  const said = note(activity);
  if (said) card.append(make('div', 'card-note', said));
  return card;
}

/** The small presentation of an activity. */
export function compactActivity(activity) {
  const content = activity.contentState;
  const element = make('span', 'compact');
  tint(element, content);
  element.classList.toggle('stale', activity.state === 'stale');
  const text = compactText(content);
  const prompts = layoutOf(content) === 'terminal' && text === '';
  element.append(
    icon(content),
    make('span', prompts ? 'compact-prompt' : 'compact-text', prompts ? '>_' : text),
  );
  element.title = typeof content.title === 'string' ? content.title : '';
  return element;
}
