// Renders one Markdown document as HTML. Headings get the anchors that GitHub gives them, so that a link with an anchor
// works in a checkout and on the pages alike; `{#name}` at the end of a heading names another one. Capital names in the
// first column of a table, such as settings and error codes, are anchors too.
import MarkdownIt from 'markdown-it';

export const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const fences = /(^ {0,3}(```+|~~~+)[^\n]*\n[\s\S]*?^ {0,3}\2[`~]*[ \t]*$)/m;

/** Changes the text outside of fenced code. */
export const outsideCode = (markdown, change) =>
  markdown
    .split(fences)
    // The inner group of the pattern is a part of the split too.
    .filter((_, index) => index % 3 !== 2)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');

/** Comments are for those who change a document: they say how a snippet is run, or what writes a table. */
export const withoutComments = (markdown) =>
  outsideCode(markdown, (text) => text.replace(/<!--[\s\S]*?-->\n?/g, ''));

/** The text that a reader sees of inline Markdown. */
const plain = (inline) =>
  inline.children
    .map(({ type, content }) =>
      type === 'softbreak' ? ' ' : ['text', 'code_inline'].includes(type) ? content : '',
    )
    .join('');

const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

const named = /\s*\{#([\w-]+)\}$/;

/**
 * `linkOf(href)` gives the address that a link leads to, or undefined where its target is in the source alone; then its
 * text stays.
 */
export function rendered(markdown, linkOf) {
  const parser = new MarkdownIt({ html: false, typographer: false });
  const tokens = parser.parse(withoutComments(markdown), {});
  const ids = new Map();
  const unique = (id) => {
    const count = ids.get(id) ?? 0;
    ids.set(id, count + 1);
    return count === 0 ? id : unique(`${id}-${count}`);
  };
  const headings = [];
  const sections = [{ id: '', level: 1, title: '', text: [] }];
  let summary;
  let column = 0;
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    // The policy of the pages allows no style in an element.
    const align = token.attrGet('style')?.replace('text-align:', '');
    if (align) token.attrs = [['class', align]];
    if (token.type === 'tr_open') column = 0;
    if (token.type === 'td_close') column += 1;
    if (token.type === 'fence') sections.at(-1).text.push(token.content);
    if (token.type !== 'inline') return;
    if (before.type === 'heading_open') {
      const last = token.children.at(-1);
      const [, name] = named.exec(last?.content ?? '') ?? [];
      if (name) last.content = last.content.replace(named, '');
      const title = plain(token);
      const id = unique(name ?? slugOf(title));
      before.attrSet('id', id);
      const heading = { id, level: Number(before.tag.slice(1)), title };
      headings.push(heading);
      sections.push({ ...heading, text: [] });
      return;
    }
    const names =
      before.type === 'td_open' && column === 0
        ? token.children.filter(
            ({ type, content }) => type === 'code_inline' && /^[A-Z][A-Z0-9_]{3,}$/.test(content),
          )
        : [];
    for (const each of names) {
      if (ids.has(each.content)) continue;
      each.attrSet('id', unique(each.content));
      sections.push({ id: each.content, level: 0, title: each.content, text: [] });
    }
    sections.at(-1).text.push(plain(token));
    if (before.type === 'paragraph_open' && summary === undefined) summary = plain(token);
    relink(token.children, linkOf);
  });
  const rules = parser.renderer.rules;
  // Wide tables and code scroll on their own; for that a keyboard must be able to reach them.
  rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.fence = (list, at) => {
    const [language] = list[at].info.trim().split(/\s+/);
    return `<pre tabindex="0"${language ? ` data-language="${escaped(language)}"` : ''}><code>${escaped(list[at].content)}</code></pre>\n`;
  };
  return {
    html: parser.renderer.render(tokens, parser.options, {}),
    title: headings.find(({ level }) => level === 1)?.title ?? '',
    summary: summary ?? '',
    headings,
    sections: sections.map(({ text, ...section }) => ({ ...section, text: text.join(' ') })),
  };
}

function relink(children, linkOf) {
  const open = [];
  for (const token of children) {
    if (token.type === 'link_open') {
      const href = linkOf(token.attrGet('href'));
      open.push(href);
      if (href === undefined) {
        token.tag = 'span';
        token.attrs = [
          ['class', 'source'],
          ['title', `In the source: ${token.attrGet('href')}`],
        ];
      } else token.attrSet('href', href);
    } else if (token.type === 'link_close' && open.pop() === undefined) token.tag = 'span';
  }
}
