// The page draws what the control API says, once a second. All text from pushes goes in as text, never as markup.

import { refusal } from './words.js';

const byId = (id) => document.getElementById(id);
const phonesAt = byId('phones');
const units = new Map();
let names = new Map();
let seen = 0;
let timer;

async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = String(text);
  return element;
}

const clock = (time) => new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
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

/** As on a phone, one press is enough: the buttons wait until the service has answered. */
async function press(unit, pressed, promptId, answer) {
  const controls = pressed.closest('.card').querySelectorAll('button, input');
  for (const control of controls) control.disabled = true;
  await act(unit, `Pressed ${answer}`, async () => {
    const refused = refusal(await call('POST', `/phones/${unit.id}/press`, { promptId, answer }));
    if (refused !== undefined) throw new Error(refused);
    return `Answered: ${answer}`;
  });
  for (const control of controls) control.disabled = false;
}

function buttons(unit, promptId, actions, reply) {
  const parts = [];
  if (actions.length > 0) {
    const row = make('div', 'buttons');
    for (const { answer, label } of actions) {
      const button = make('button', '', label);
      button.type = 'button';
      button.disabled = !promptId;
      button.addEventListener('click', () => press(unit, button, promptId, answer));
      row.append(button);
    }
    parts.push(row);
  }
  if (reply) {
    const form = make('form', 'reply');
    const input = make('input');
    input.required = true;
    input.placeholder = 'Reply';
    input.setAttribute('aria-label', 'Reply');
    const send = make('button', '', 'Send');
    send.disabled = !promptId;
    form.append(input, send);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      press(unit, form, promptId, input.value);
    });
    parts.push(form);
  }
  return parts;
}

function head(time) {
  const row = make('div', 'card-head');
  row.append(make('span', 'app', 'Carillon'));
  const at = make('time', '', clock(time));
  at.dateTime = time;
  row.append(at);
  return row;
}

function notification(unit, shown) {
  const card = make('article', 'card');
  card.append(head(shown.receivedAt), make('div', 'card-title', shown.title));
  card.append(make('div', 'card-body', shown.body));
  if (shown.url) card.append(make('div', 'card-note', shown.url));
  const notes = [
    shown.interruptionLevel === 'time-sensitive' ? 'Time sensitive' : undefined,
    shown.promptId && shown.expiresAt ? `until ${clock(shown.expiresAt)}` : undefined,
  ].filter(Boolean);
  if (notes.length > 0) card.append(make('div', 'card-note', notes.join(' · ')));
  card.append(...buttons(unit, shown.promptId, shown.actions, shown.reply));
  return card;
}

const promptActions = {
  approval: [
    ['approved', 'Approve'],
    ['denied', 'Deny'],
  ],
  yes_no: [
    ['yes', 'Yes'],
    ['no', 'No'],
  ],
};

function activityCard(unit, activity) {
  const content = activity.contentState;
  const card = make('article', 'card activity');
  card.append(head(activity.startedAt));
  card.append(make('div', 'card-title', content.title ?? activity.attributes.title ?? activity.activityId));
  if (content.subtitle) card.append(make('div', 'card-note', content.subtitle));
  const row = make('div', 'card-row');
  const progress =
    typeof content.progress === 'number' ? Math.min(1, Math.max(0, content.progress)) : undefined;
  row.append(make('span', '', content.status ?? ''));
  if (progress !== undefined) row.append(make('span', '', `${Math.round(progress * 100)} %`));
  if (row.textContent) card.append(row);
  if (progress !== undefined) {
    const bar = make('progress');
    bar.max = 1;
    bar.value = progress;
    bar.setAttribute('aria-label', 'Progress');
    if (/^#[0-9a-f]{6}$/i.test(content.accentColor ?? '')) bar.style.accentColor = content.accentColor;
    card.append(bar);
  }
  for (const line of Array.isArray(content.lines) ? content.lines : [])
    card.append(make('div', 'card-note', line));
  if (content.detail) card.append(make('div', 'card-body', content.detail));
  const prompt = content.interaction;
  if (activity.state !== 'ended' && prompt && typeof prompt.id === 'string') {
    const [first, second] = promptActions[prompt.kind] ?? [];
    const actions = [];
    if (first) actions.push({ answer: first[0], label: prompt.primaryLabel ?? first[1] });
    if (second) actions.push({ answer: second[0], label: prompt.secondaryLabel ?? second[1] });
    card.append(...buttons(unit, prompt.id, actions, prompt.kind === 'reply'));
  }
  if (activity.state === 'ended') card.append(make('div', 'card-note', 'ended'));
  return card;
}

function newUnit(phone) {
  const root = byId('phone').content.firstElementChild.cloneNode(true);
  const unit = { id: phone.id, root };
  root.classList.add(phone.platform);
  for (const input of root.querySelectorAll('.switches input'))
    input.addEventListener('change', () =>
      act(unit, `${input.parentElement.textContent.trim()}: ${input.checked ? 'on' : 'off'}`, () =>
        call('PATCH', `/phones/${unit.id}`, { [input.name]: input.checked }),
      ),
    );
  root.querySelector('.uninstall').addEventListener('click', () => {
    if (confirm('Uninstall the app? Its tokens are dead from then on.'))
      act(unit, 'Uninstalled', () => call('POST', `/phones/${unit.id}/uninstall`));
  });
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
  const now = new Date();
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
  for (const input of root.querySelectorAll('.switches input')) input.checked = phone.settings[input.name];
  root.querySelector('.switches').disabled = gone;
  root.querySelector('.uninstall').hidden = gone;
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

  const over = (activity) => activity.dismissalDate && Date.parse(activity.dismissalDate) <= Date.now();
  keep(
    root.querySelector('.activities'),
    phone.activities.filter((activity) => !(activity.state === 'ended' && over(activity))),
    (activity) => JSON.stringify([activity.activityId, activity.state, activity.contentState]),
    (activity) => activityCard(unit, activity),
  );
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

// One after the other: two at once would draw the same records twice.
let line = Promise.resolve();
const refresh = () => (line = line.then(load));

async function load() {
  clearTimeout(timer);
  try {
    const [{ phones }, { received, next }, stats] = await Promise.all([
      call('GET', '/phones'),
      call('GET', `/received?after=${seen}`),
      call('GET', '/stats'),
    ]);
    names = new Map(phones.map((phone) => [phone.id, phone.name]));
    for (const [id, unit] of units)
      if (!names.has(id)) {
        unit.root.remove();
        units.delete(id);
      }
    phones.forEach(drawPhone);
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
document.addEventListener('visibilitychange', () => document.hidden || refresh());
refresh();
