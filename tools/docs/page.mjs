// The frame that all pages have in common.
import { escaped } from './markdown.mjs';

const link = ({ slug, title }, current) =>
  `<a href="${addressOf(slug)}"${slug === current ? ' aria-current="page"' : ''}>${escaped(title)}</a>`;

/** Where a page is served. That of the contents is the folder itself. */
export const addressOf = (slug) => (slug === '' ? '/docs/' : `/docs/${slug}`);

/** The Markdown of a page. */
export const markdownOf = (slug) => `/docs/${slug === '' ? 'index' : slug}.md`;

const within = (headings) => {
  const parts = headings.filter(({ level }) => level === 2);
  if (parts.length < 2) return '';
  const items = parts.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`);
  return `<ul>${items.join('')}</ul>`;
};

const list = (pages, { slug, headings }) =>
  pages.map((page) => `<li>${link(page, slug)}${page.slug === slug ? within(headings) : ''}</li>`).join('\n');

/** `contents` are the sections with their pages, `assets` the addresses of style, script and search index. */
export const page = ({ slug, title, summary, html, headings }, contents, assets) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(slug === '' ? title : `${title} · Carillon`)}</title>
<meta name="description" content="${escaped(summary.slice(0, 200))}">
<link rel="stylesheet" href="${assets.style}">
<link rel="alternate" type="text/markdown" href="${markdownOf(slug)}">
<script type="module" src="${assets.script}" data-index="${assets.index}"></script>
</head>
<body>
<a class="skip" href="#_page">Skip to the content</a>
<header>
<a href="/docs/">Carillon</a>
<a class="to-contents" href="#_contents">Contents</a>
</header>
<main id="_page">
${html}<footer><a href="${markdownOf(slug)}">This page as Markdown</a></footer>
</main>
<nav id="_contents" aria-label="Contents">
${contents
  .map(
    (section) =>
      `<h2>${escaped(section.title)}</h2>\n<ul>\n${list(section.pages, { slug, headings })}\n</ul>`,
  )
  .join('\n')}
</nav>
</body>
</html>
`;
