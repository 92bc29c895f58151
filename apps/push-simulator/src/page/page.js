// The page draws what the control API says, once a second. All text from pushes goes in as text, never as markup.

import { activityCard, compactActivity, tick } from './activity.js';
import { buttons, clock, head, make } from './element.js';
import { refusal } from './words.js';

const byId = (id) => document.getElementById(id);
const phonesAt = byId('phones');
const units = new Map();
let names = new Map();
let seen = 0;
let timer;
/** How far the phones' clock is from this computer's, in milliseconds. */
let ahead = 0;
const phoneTime = () => Date.now() + ahead;

async function call(method, path, body) {
  // Beside the page: its own path begins with the secret.
  const response = await fetch(`.${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

const clockSeconds = (time) => new Date(time).toLocaleTimeString();

/** Keeps the children of a list in step with the entries, and leaves those that did not change alone. */
function keep(list, entries, keyOf, draw) {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const wanted = entries.map((entry) => {
    const key = keyOf(entry);
    const known = old.get(key);
    if (known) {
      old.delete(key);
      return known;
    }
    const drawn = draw(entry);
    drawn.dataset.key = key;
    return drawn;
  });
  for (const gone of old.values()) gone.remove();
  wanted.forEach((element, at) => {
    if (list.children[at] !== element) list.insertBefore(element, list.children[at] ?? null);
  });
}

function say(unit, text, bad = false) {
  const said = unit.root.querySelector('.said');
  said.textContent = text;
  said.classList.toggle('bad', bad);
}

/** Runs what a person asked for, and says how it went. */
async function act(unit, what, work) {
  try {
    const done = await work();
    say(unit, typeof done === 'string' ? done : what);
  } catch (error) {
    say(unit, `${what}: ${error.message}`, true);
  }
  await refresh();
}

function press(unit, promptId, answer) {
  return act(unit, `Pressed ${answer}`, async () => {
    const refused = refusal(await call('POST', `/phones/${unit.id}/press`, { promptId, answer }));
    if (refused !== undefined) throw new Error(refused);
    return `Answered: ${answer}`;
  });
}

function pressPage(unit, pageId, action) {
  return act(unit, `Pressed ${action}`, async () => {
    const refused = refusal(await call('POST', `/phones/${unit.id}/pages/${pageId}/${action}`, {}));
    if (refused !== undefined) throw new Error(refused);
    return action === 'acknowledge' ? 'Acknowledged' : 'Escalated';
  });
}

function notification(unit, shown) {
  const card = make('article', 'card');
  card.append(head(shown.receivedAt), make('div', 'card-title', shown.title));
  card.append(make('div', 'card-body', shown.body));
  if (shown.url) card.append(make('div', 'card-note', shown.url));
  if (shown.appId) card.append(make('div', 'card-note', `opens ${shown.appId}`));
  const notes = [
    shown.interruptionLevel === 'time-sensitive' ? 'Time sensitive' : undefined,
    shown.promptId && shown.expiresAt ? `until ${clock(shown.expiresAt)}` : undefined,
  ].filter(Boolean);
  if (notes.length > 0) card.append(make('div', 'card-note', notes.join(' · ')));
  const pressed = shown.pageId ? pressPage : press;
  card.append(
    ...buttons(shown.pageId ?? shown.promptId, shown.actions, shown.reply, (id, answer) =>
      pressed(unit, id, answer),
    ),
  );
  return card;
}

/** Draws the activities again where they changed: what moves goes on from where it was, and the cursor stays. */
function drawActivities(unit, phone) {
  const list = unit.root.querySelector('.activities');
  const order = (activity) => activity.relevance ?? 0;
  const seen = phone.activities
    .filter((activity) => activity.state !== 'dismissed')
    .sort((one, other) => order(other) - order(one));
  keep(
    list,
    seen,
    (activity) => activity.activityId,
    () => make('div', 'slot'),
  );
  seen.forEach((activity, at) => {
    const slot = list.children[at];
    const text = JSON.stringify([activity, phone.settings.interactiveLiveActivities, phone.paired]);
    if (slot.drawn === text) return;
    slot.drawn = text;
    const path = `/phones/${unit.id}/activities/${encodeURIComponent(activity.activityId)}`;
    const heard = activity.updateTokenRegistered || !activity.updateToken || activity.state === 'ended';
    const card = activityCard(activity, {
      platform: phone.platform,
      interactive: phone.settings.interactiveLiveActivities,
      press: (promptId, answer) => press(unit, promptId, answer),
      dismiss: () => act(unit, 'Dismissed', () => call('POST', `${path}/dismiss`)),
      register:
        heard || !phone.paired
          ? undefined
          : () => act(unit, 'Update token sent', () => call('POST', `${path}/register`)),
    });
    replaceCard(slot, card);
  });
  const running = seen.filter((activity) => activity.state !== 'ended');
  const island = unit.root.querySelector('.island');
  island.hidden = running.length === 0;
  const small = JSON.stringify(running.slice(0, 2).map(({ state, contentState }) => [state, contentState]));
  if (island.drawn !== small) {
    island.drawn = small;
    island.replaceChildren(...running.slice(0, 2).map(compactActivity));
  }
}

function replaceCard(slot, card) {
  const old = slot.firstElementChild;
  const active = document.activeElement;
  const focus = old?.contains(active) ? active.dataset.focus : undefined;
  const typed = old?.querySelector('.reply input')?.value;
  const from = old?.className
    .split(' ')
    .some((name) => name.startsWith('layout-') && card.classList.contains(name))
    ? [...old.querySelectorAll('[data-moves]')].map((element) => element.style[element.dataset.moves])
    : [];
  slot.replaceChildren(card);
  [...card.querySelectorAll('[data-moves]')].forEach((element, at) => {
    const to = element.style[element.dataset.moves];
    if (from[at] === undefined || from[at] === to) return;
    element.style[element.dataset.moves] = from[at];
    // The browser must have seen where it was, and nothing else before: that would be a move of its own.
    element.getBoundingClientRect();
    element.style[element.dataset.moves] = to;
  });
  const input = card.querySelector('.reply input');
  if (input && typed) input.value = typed;
  if (focus)
    [...card.querySelectorAll('[data-focus]')].find((element) => element.dataset.focus === focus)?.focus();
}

function newUnit(phone) {
  const root = byId('phone').content.firstElementChild.cloneNode(true);
  const unit = { id: phone.id, root };
  root.classList.add(phone.platform);
  for (const input of root.querySelectorAll('.switches input'))
    input.addEventListener('change', () =>
      act(unit, `${input.parentElement.textContent.trim()}: ${input.checked ? 'on' : 'off'}`, () =>
        call('PATCH', `/phones/${unit.id}`, {
          [input.name]:
            input.dataset.on === undefined
              ? input.checked
              : input.checked
                ? input.dataset.on
                : input.dataset.off,
        }),
      ),
    );
  root.querySelector('.uninstall').addEventListener('click', () => {
    if (confirm('Uninstall the app? Its tokens are dead from then on.'))
      act(unit, 'Uninstalled', () => call('POST', `/phones/${unit.id}/uninstall`));
  });
  root
    .querySelector('.sign-out')
    .addEventListener('click', () =>
      act(unit, 'Signed out', () => call('POST', `/phones/${unit.id}/sign-out`)),
    );
  root
    .querySelector('.remove')
    .addEventListener('click', () => act(unit, 'Removed', () => call('DELETE', `/phones/${unit.id}`)));
  const form = root.querySelector('.pair');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const entries = [...new FormData(form)].filter(([, value]) => value !== '');
    act(unit, 'Paired', () => call('POST', `/phones/${unit.id}/pair`, Object.fromEntries(entries)));
  });
  phonesAt.append(root);
  return unit;
}

function drawPhone(phone) {
  let unit = units.get(phone.id);
  if (!unit) units.set(phone.id, (unit = newUnit(phone)));
  const { root } = unit;
  const now = new Date(phoneTime());
  root.querySelector('.bar-time').textContent = clock(now);
  root.querySelector('.bar-net').textContent = phone.settings.online ? '● ● ● ●' : 'no network';
  root.querySelector('.lock-time').textContent = clock(now).replace(/[^\d:.]/g, '');
  root.querySelector('.lock-date').textContent = now.toLocaleDateString([], {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  });
  const text = JSON.stringify(phone);
  if (unit.drawn === text) return;
  unit.drawn = text;

  const gone = !phone.installed;
  root.classList.toggle('gone', gone);
  root.querySelector('.unit-name').textContent =
    phone.name + (gone ? ' · app uninstalled' : phone.paired ? '' : ' · not paired');
  for (const input of root.querySelectorAll('.switches input')) {
    const value = phone.settings[input.name];
    input.checked = input.dataset.on === undefined ? value : value === input.dataset.on;
  }
  root.querySelector('.switches').disabled = gone;
  root.querySelector('.uninstall').hidden = gone;
  root.querySelector('.sign-out').hidden = gone || !phone.paired;
  root.querySelector('.remove').hidden = !gone;
  root.querySelector('.pair').hidden = phone.paired || gone;

  const facts = [
    ['Phone id', phone.id],
    ['Device id', phone.deviceId],
    ['Service', phone.baseUrl],
    ['Environment', phone.platform === 'ios' ? phone.environment : undefined],
    ['Push token', phone.pushToken],
    ['Push-to-start token', phone.pushToStartToken],
    ['Kept by the provider until it is online', phone.waiting || undefined],
  ].filter(([, value]) => value !== undefined);
  root
    .querySelector('.more dl')
    .replaceChildren(...facts.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]));

  drawActivities(unit, phone);
  const times = new Map();
  keep(
    root.querySelector('.tray'),
    phone.tray,
    (shown) => {
      const key = JSON.stringify(shown);
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      return `${time} ${key}`;
    },
    (shown) => notification(unit, shown),
  );
}

function describe(record) {
  const headers = record.headers ?? {};
  const data = record.payload?.data ?? record.payload?.carillon ?? {};
  const alert = record.payload?.aps?.alert;
  const type = data.type ?? headers['apns-push-type'] ?? '';
  const event = record.payload?.aps?.event ?? '';
  const title = data.title ?? (typeof alert === 'string' ? alert : alert?.title) ?? '';
  return [type, event, data.id, title].filter((part) => typeof part === 'string' && part).join(' · ');
}

function drawRecord(record) {
  const row = make('tr');
  const { status, reason } = record.verdict;
  const verdict = make('td', `verdict ${status === 200 ? 'good' : 'bad'}`);
  verdict.textContent = status === 0 ? 'no answer' : `${status}${reason ? ` ${reason}` : ''}`;
  row.append(
    make('td', '', clockSeconds(record.at)),
    make('td', '', record.provider === 'apns' ? 'APNs' : 'FCM'),
    make('td', '', record.phoneId === null ? 'none' : (names.get(record.phoneId) ?? record.phoneId)),
    make('td', '', describe(record)),
    verdict,
    make(
      'td',
      '',
      record.shown ? `shown${record.why ? ` (${record.why})` : ''}` : (record.why ?? 'not shown'),
    ),
  );
  if (record.fault) verdict.append(make('div', 'card-note', record.fault));
  return row;
}

function drawClock(aheadSeconds) {
  const parts = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  let rest = Math.round(aheadSeconds);
  const words = parts.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  byId('ahead').textContent =
    words.length > 0 ? `The phones are ${words.join(' ')} ahead.` : "The phones' clock";
  byId('clock-back').hidden = words.length === 0;
}

// One after the other: two at once would draw the same records twice.
let line = Promise.resolve();
const refresh = () => (line = line.then(load));

async function load() {
  clearTimeout(timer);
  try {
    const [{ phones, now, aheadSeconds }, { received, next }, stats] = await Promise.all([
      call('GET', '/phones'),
      call('GET', `/received?after=${seen}`),
      call('GET', '/stats'),
    ]);
    ahead = Date.parse(now) - Date.now();
    drawClock(aheadSeconds);
    names = new Map(phones.map((phone) => [phone.id, phone.name]));
    for (const [id, unit] of units)
      if (!names.has(id)) {
        unit.root.remove();
        units.delete(id);
      }
    phones.forEach(drawPhone);
    tick(phonesAt, phoneTime());
    byId('empty').hidden = phones.length > 0;
    if (next >= seen) {
      seen = next;
      const log = byId('log');
      for (const record of received.slice(-200)) log.prepend(drawRecord(record));
      while (log.children.length > 200) log.lastElementChild.remove();
    }
    const count = (name, { requests, accepted, refused }) =>
      `${name}: ${requests} received, ${accepted} accepted, ${refused} refused`;
    byId('stats').textContent = `${count('APNs', stats.apns)} · ${count('FCM', stats.fcm)}`;
    byId('state').textContent =
      `${phones.length} ${phones.length === 1 ? 'phone' : 'phones'} at ${location.host}`;
  } catch {
    byId('state').textContent = 'The simulator does not answer.';
    // After a restart its numbers begin again.
    seen = 0;
  }
  clearTimeout(timer);
  timer = setTimeout(refresh, document.hidden ? 5000 : 1000);
}

const top = (what) => what.catch((error) => (byId('state').textContent = error.message)).then(refresh);
byId('add-ios').addEventListener('click', () => top(call('POST', '/phones', { platform: 'ios' })));
byId('add-android').addEventListener('click', () => top(call('POST', '/phones', { platform: 'android' })));
byId('reset').addEventListener('click', () => {
  byId('log').replaceChildren();
  top(call('POST', '/reset'));
});
for (const button of document.querySelectorAll('[data-advance]'))
  button.addEventListener('click', () =>
    top(call('POST', '/clock', { advanceSeconds: Number(button.dataset.advance) })),
  );
byId('clock-back').addEventListener('click', () => top(call('DELETE', '/clock')));
setInterval(() => tick(phonesAt, phoneTime()), 1000);
document.addEventListener('visibilitychange', () => document.hidden || refresh());
refresh();
