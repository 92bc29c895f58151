// The search of the documentation, the only script of its pages: it adds a field to the head of the page, and loads the
// index when somebody first uses the field. Without it every page is there as ever.

/** The words of a text, as the index has them: in lower case, the parts of names with underscores too. */
export const wordsOf = (text) => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{2,40}/gu) ?? [];
  return words.flatMap((word) =>
    word.includes('_') ? [word, ...word.split('_').filter((part) => part.length > 1)] : [word],
  );
};

/** Numbers of entries, each as the distance from the one before. */
const numbersOf = (text) => {
  if (text === '') return [];
  let number = 0;
  return text.split(' ').map((step) => (number += parseInt(step, 36)));
};

/**
 * The entries that have all words of a query, the best first. Each is a part of a page; a word counts also where it is
 * the beginning of one in the text, and most in a title.
 */
export function find({ pages, entries, words }, query, limit = 12) {
  // A word that nearly every part has, and no title, is there without numbers: it says nothing.
  const asked = wordsOf(query).filter((word) => words[word] !== '');
  if (asked.length === 0) return [];
  const scores = asked.map((word) => {
    const found = new Map();
    for (const [known, numbers] of Object.entries(words)) {
      if (!known.startsWith(word)) continue;
      const weight = known === word ? 3 : 1;
      for (const number of numbersOf(numbers)) found.set(number, Math.max(weight, found.get(number) ?? 0));
    }
    return found;
  });
  const inTitle = (title) =>
    asked.filter((word) => wordsOf(title).some((each) => each.startsWith(word))).length;
  return [...scores[0].keys()]
    .filter((number) => scores.every((found) => found.has(number)))
    .map((number) => {
      const [page, id, title] = entries[number];
      const [slug, pageTitle] = pages[page];
      const inText = scores.reduce((sum, found) => sum + found.get(number), 0);
      const score = inText + 8 * inTitle(title) + 4 * inTitle(pageTitle);
      return { url: `/docs/${slug}${id && `#${id}`}`, title, page: pageTitle, score };
    })
    .sort((one, other) => other.score - one.score)
    .slice(0, limit);
}

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** `address` is that of the index. */
function start(address) {
  let loading;
  const load = () => {
    loading ??= fetch(address).then((answer) => {
      if (!answer.ok) throw new Error(`The index was answered with ${answer.status}`);
      return answer.json();
    });
    // A failure is tried again at the next key.
    loading.catch(() => (loading = undefined));
    return loading;
  };
  const field = element('input', { type: 'search', placeholder: 'Search', autocomplete: 'off' });
  field.setAttribute('aria-label', 'Search the documentation');
  const list = element('ol', { hidden: true });
  const status = element('p');
  status.setAttribute('role', 'status');
  const show = async () => {
    const query = field.value;
    let found;
    try {
      found = query.trim() === '' ? undefined : find(await load(), query);
    } catch {
      status.textContent = 'The search does not work at the moment.';
      return;
    }
    // Another key has been pressed meanwhile.
    if (query !== field.value) return;
    status.textContent = found?.length === 0 ? 'Nothing found.' : '';
    list.hidden = !found?.length;
    list.replaceChildren(
      ...(found ?? []).map(({ url, title, page }) =>
        element('li', {}, element('a', { href: url }, title, element('small', { textContent: page }))),
      ),
    );
  };
  const box = element('div', { className: 'search' }, field, list, status);
  field.addEventListener('focus', () => void load().catch(() => {}));
  field.addEventListener('input', () => void show());
  box.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    field.value = '';
    field.focus();
    void show();
  });
  document.querySelector('header').append(box);
}

if (typeof document !== 'undefined') start(document.querySelector('script[data-index]').dataset.index);
