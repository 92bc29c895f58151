// Parts that several cards are made of.

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = String(text);
  return element;
}

export const clock = (time) => new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

/** The line above a card: whose it is, and when it came. */
export function head(time) {
  const row = make('div', 'card-head');
  row.append(make('span', 'app', 'Carillon'));
  const at = make('time', '', clock(time));
  at.dateTime = time;
  row.append(at);
  return row;
}

/** As on a phone, one press is enough: what answers waits until the service has. */
async function once(pressed, work) {
  const controls = pressed.closest('.card').querySelectorAll('button, input');
  for (const control of controls) control.disabled = true;
  await work();
  for (const control of controls) control.disabled = false;
}

/** What answers a prompt or takes up a page: its buttons, and a line to type in. */
export function buttons(promptId, actions, reply, press) {
  const parts = [];
  if (actions.length > 0) {
    const row = make('div', 'buttons');
    for (const { answer, label } of actions) {
      const button = make('button', '', label);
      button.type = 'button';
      button.disabled = !promptId;
      button.dataset.focus = `answer ${answer}`;
      button.addEventListener('click', () => once(button, () => press(promptId, answer)));
      row.append(button);
    }
    parts.push(row);
  }
  if (reply) {
    const form = make('form', 'reply');
    const input = make('input');
    input.required = true;
    input.placeholder = 'Reply';
    input.dataset.focus = 'reply';
    input.setAttribute('aria-label', 'Reply');
    const send = make('button', '', 'Send');
    send.disabled = !promptId;
    form.append(input, send);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      once(form, () => press(promptId, input.value));
    });
    parts.push(form);
  }
  return parts;
}
