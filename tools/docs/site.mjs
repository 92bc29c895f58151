// Makes the pages of /docs from the documents and the descriptions of the APIs. Pure: `files` are the texts under docs/
// by their paths; gives what is served by its address, and the links that lead nowhere.
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { elsewhere, isFile, sections, slugOf } from './contents.mjs';
import { outsideCode, rendered, withoutComments } from './markdown.mjs';
import { addressOf, markdownOf, page } from './page.mjs';
import { searchIndex } from './search-index.mjs';

const types = {
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  txt: 'text/plain',
  yaml: 'application/yaml',
};
const served = (extension, text) => ({ type: `${types[extension]}; charset=utf-8`, text });

/** An address that changes with what is there, so that a browser may keep it. */
const fixed = (name, extension, text) =>
  `/docs/${name}.${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${extension}`;

/** `docs/guides/ask.md` as the contents name it. */
const nameOf = (path) => path.replace(/^docs\//, '').replace(/\.md$/, '');

const titleOf = (markdown) => /^# (.+)$/m.exec(markdown)?.[1] ?? '';

/** The runbooks have no document that lists them. */
const runbooks = (sources) =>
  [
    '# Runbooks',
    '',
    'What to do about each alert.',
    '',
    ...[...sources]
      .filter(([path]) => path.startsWith('docs/runbooks/'))
      .map(([path, text]) => `- [${titleOf(text)}](${posix.basename(path)})`),
    '',
  ].join('\n');

/** `assets` are the style and the script; `reference` are documents that were written from the descriptions. */
export function site(files, assets, reference) {
  const sources = new Map([...files, ...reference.files].filter(([path]) => path.endsWith('.md')));
  sources.set('docs/runbooks/README.md', runbooks(sources));
  const slugs = new Map([...sources.keys()].map((path) => [path, slugOf(nameOf(path))]));
  const broken = [];
  const outside = [];

  /** Where a link of a document leads: a page, with its address or that of its Markdown, or another address. */
  const target = (from, href, address) => {
    if (/^([a-z]+:|#|\/)/.test(href)) return href;
    const [path, anchor] = href.split('#');
    const plain = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, '');
    const full = elsewhere[plain] ?? plain;
    const slug = slugs.get(full) ?? slugs.get(`${full}/README.md`);
    if (slug !== undefined) return `${address(slug)}${anchor ? `#${anchor}` : ''}`;
    if (isFile(full) && files.has(full)) return `/${full}`;
    if (full.startsWith('docs/')) broken.push(`${from}: ${href}`);
    else outside.push({ from, path: full });
    return undefined;
  };
  /** The Markdown of a page, whose links lead to Markdown. */
  const markdown = (path, text) =>
    outsideCode(withoutComments(text), (part) =>
      part
        .replace(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (_, words, href) => {
          const to = target(path, href, markdownOf);
          return to === undefined ? words : `[${words}](${to})`;
        })
        .replace(/^(#+ .*?)\s*\{#[\w-]+\}$/gm, '$1'),
    );

  const pages = new Map(
    [...sources].map(([path, text]) => {
      const made = rendered(text, (href) => target(path, href, addressOf));
      return [slugs.get(path), { ...made, slug: slugs.get(path), markdown: markdown(path, text) }];
    }),
  );
  const contents = sections.map(({ title, pages: names }) => ({
    title,
    pages: [...names, ...(title === 'Reference' ? reference.names : [])]
      .map((name) => pages.get(slugOf(name)))
      .filter((each) => each !== undefined),
  }));
  const home = { slug: '', ...homeOf(contents) };
  const out = new Map();
  const keep = (name, extension, text) => {
    const address = fixed(name, extension, text);
    out.set(address, { ...served(extension, text), isFixed: true });
    return address;
  };
  const frame = {
    style: keep('style', 'css', assets.style),
    script: keep('search', 'js', assets.script),
    index: keep('search', 'json', JSON.stringify(searchIndex([...pages.values()]))),
  };
  pages.set('', home);
  for (const each of pages.values()) {
    out.set(addressOf(each.slug), served('html', page(each, contents, frame)));
    out.set(markdownOf(each.slug), served('md', each.markdown));
  }
  const gone = '# There is no such page\n\nThe [contents](/docs/) name all pages.\n';
  const goneHtml = page({ ...rendered(gone, (href) => href), slug: '404' }, contents, frame);
  out.set('/docs/404', served('html', goneHtml));
  out.set('/docs/404.md', served('md', gone));
  for (const [path, text] of files)
    if (isFile(path)) out.set(`/${path}`, served(path.split('.').at(-1), text));
  out.set('/llms.txt', served('txt', home.llms));
  return { out, pages, broken, outside };
}

const description =
  'A notification service that you run yourself: scripts and agents call one HTTP API, and people get it on their phones.';

/** The first page, and the same for language models (llmstxt.org). */
function homeOf(contents) {
  const sentence = ({ summary }) => /^.*?[.:](?=\s|$)/.exec(summary)?.[0].replace(/:$/, '.') ?? summary;
  const text = (address) =>
    contents
      .filter(({ pages }) => pages.length > 0)
      .map(
        ({ title, pages }) =>
          `## ${title}\n\n${pages.map((each) => `- [${each.title}](${address(each.slug)}): ${sentence(each)}`).join('\n')}\n`,
      )
      .join('\n');
  const markdown = (address) => `# Carillon\n\n> ${description}\n\n${text(address)}`;
  const made = rendered(markdown(addressOf), (href) => href);
  return { ...made, summary: description, markdown: markdown(markdownOf), llms: markdown(markdownOf) };
}
