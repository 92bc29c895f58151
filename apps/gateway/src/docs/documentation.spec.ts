import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { agentApi, sessionApi } from '../openapi/apis';
import { docsKey } from '../openapi/document';

interface Served {
  readonly type: string;
  readonly text: string;
}
interface Documentation {
  readonly out: ReadonlyMap<string, Served>;
  readonly broken: readonly string[];
  readonly outside: readonly { readonly from: string; readonly path: string }[];
}
interface Search {
  readonly find: (index: unknown, query: string) => { readonly url: string; readonly title: string }[];
}

const root = join(import.meta.dirname, '../../../..');
const { docs } = (await import(join(root, 'tools/docs.mjs'))) as { docs: () => Promise<Documentation> };
const { find } = (await import(join(root, 'tools/docs/site/search.mjs'))) as Search;
const { out, broken, outside } = await docs();
const text = (path: string): string => out.get(path)?.text ?? '';
const pages = [...out].filter(([, { type }]) => type.startsWith('text/html'));
const kilobytes = (content: string): number => gzipSync(content, { level: 9 }).length / 1000;
const addressOf = (form: RegExp): string => [...out.keys()].find((path) => form.test(path)) ?? '';
const index = addressOf(/^\/docs\/search\..+\.json$/);
const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

describe('the pages of the documentation', () => {
  it('link only to what is served, with anchors that are there', () => {
    expect(broken).toEqual([]);
    const ids = new Map(pages.map(([path, page]) => [path, new Set(idsIn(page.text))]));
    const others = ['agent', 'session'].flatMap((name) => [`/openapi/${name}.yaml`, `/openapi/${name}.json`]);
    const wrong = pages.flatMap(([path, page]) =>
      [...page.text.matchAll(/ (?:href|src|data-index)="([^"]+)"/g)]
        .map(([, href = '']) => href.replaceAll('&amp;', '&'))
        .filter((href) => !/^https?:\/\//.test(href))
        .filter((href) => {
          const [to = '', anchor] = href.split('#');
          const target = to || path;
          if (others.includes(target)) return false;
          return !out.has(target) || (anchor !== undefined && !ids.get(target)?.has(decodeURI(anchor)));
        })
        .map((href) => `${path}: ${href}`),
    );
    expect(wrong).toEqual([]);
  });

  it('as Markdown link only to Markdown and files that are served', () => {
    const wrong = [...out]
      .filter(([path]) => /\.(md|txt)$/.test(path))
      .flatMap(([path, { text: markdown }]) =>
        [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\((\/[^)#\s]*)/g)]
          .map(([, to = '']) => to)
          .filter((to) => !out.has(to) && !to.startsWith('/openapi/'))
          .map((to) => `${path}: ${to}`),
      );
    expect(wrong).toEqual([]);
  });

  it('name only files of the source that are there', () => {
    expect(outside.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
    expect(outside.length).toBeGreaterThan(5);
  });

  it('have no anchor twice', () => {
    const twice = pages.flatMap(([path, page]) =>
      idsIn(page.text).filter((id, at, all) => all.indexOf(id) !== at && `${path}#${id}`),
    );
    expect(twice).toEqual([]);
  });

  it('are each at most 60 kB with their style, compressed, and have a form in Markdown', () => {
    const style = text(addressOf(/^\/docs\/style\..+\.css$/));
    const large = pages.filter(([, page]) => kilobytes(page.text) + kilobytes(style) > 60);
    expect(large.map(([path]) => path)).toEqual([]);
    const without = pages
      .map(([path]) => (path === '/docs/' ? '/docs/index.md' : `${path}.md`))
      .filter((path) => !out.has(path));
    expect(without).toEqual([]);
  });

  it('can be read without script, and have nothing that their policy forbids', () => {
    for (const [path, page] of pages) {
      expect([path, page.text.match(/<script/g)]).toEqual([path, ['<script']]);
      expect(page.text).toMatch(/<script type="module" src="[^"]+" data-index="[^"]+"><\/script>/);
      expect([path, page.text.match(/<style|<[a-z][^>]* (?:style|on[a-z]+)=/)]).toEqual([path, null]);
      expect(page.text).toMatch(/<h1 id=/);
    }
  });

  it('are all in the contents, or in the list of their folder', () => {
    const linked = new Set(
      pages.flatMap(([, page]) => [...page.text.matchAll(/ href="([^"#]+)/g)].map(([, to]) => to)),
    );
    expect(pages.map(([path]) => path).filter((path) => path !== '/docs/404' && !linked.has(path))).toEqual(
      [],
    );
    const contents = [...text('/llms.txt').matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, to = '']) => to);
    expect(contents.length).toBeGreaterThan(60);
    expect(contents.filter((to) => !out.has(to))).toEqual([]);
  });
});

describe('the reference', () => {
  it.each([
    ['agent', agentApi],
    ['session', sessionApi],
  ])('has every route of the %s API once, with its scopes and its errors', (name, api) => {
    const described = api.rows.filter(({ undescribed }) => !undescribed);
    const shown = pages
      .filter(([path]) => path.startsWith(`/docs/reference/${name}/`))
      .flatMap(([, page]) => page.text.split(/(?=<h2 id=)/))
      .filter((part) => /<pre[^>]*><code>(?:GET|POST|PUT|PATCH|DELETE) \//.test(part));
    expect(shown).toHaveLength(described.length);
    const missing = described.filter((row) => {
      const path = row.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
      const part = shown.find((each) => each.includes(`<code>${row.method} ${path}\n`)) ?? '';
      const hasScopes =
        row.access !== 'token' || row.scopes.every((scope) => part.includes(`<code>${scope}</code>`));
      return (
        !part.includes(`id="${api.docs[docsKey(row, api)]?.operationId}"`) ||
        !hasScopes ||
        !/Errors/.test(part)
      );
    });
    expect(missing).toEqual([]);
  });

  it.each(['agent', 'session'])(
    'has the parameters, fields and codes of each route of the %s API',
    (name) => {
      const description = load(readFileSync(join(root, `docs/openapi/${name}.yaml`), 'utf8')) as any;
      const { schemas } = description.components;
      const named = ($ref: string): string => $ref.split('/').at(-1) ?? '';
      const parts = pages
        .filter(([path]) => path.startsWith(`/docs/reference/${name}/`))
        .flatMap(([, page]) => page.text.split(/(?=<h[23] id=)/));
      const partOf = (id: string): string => parts.find((part) => part.includes(` id="${id}"`)) ?? '';
      const without = (id: string, fields: readonly string[]): string[] =>
        fields
          .filter((field) => !partOf(id).includes(`<code>${field}</code>`))
          .map((field) => `${id}: ${field}`);
      const operations = Object.values(description.paths).flatMap((at: any) => Object.values(at) as any[]);
      const missing = operations.flatMap((operation) => {
        const successes: any[] = Object.entries(operation.responses).flatMap(([status, { content }]: any) =>
          Number(status) < 400 && content['application/json'] ? [content['application/json'].schema] : [],
        );
        const body = operation.requestBody?.content['application/json'].schema;
        const codes: string[] = Object.values(operation['x-error-codes'] ?? {}).flat() as string[];
        return [
          ...without(operation.operationId, [
            ...operation.parameters.flatMap((parameter: any) => parameter.name ?? []),
            ...Object.keys(body ? schemas[named(body.$ref)].properties : {}),
            ...successes.flatMap(({ properties = {} }) => Object.keys(properties)),
          ]),
          ...codes.filter((code) => !partOf(operation.operationId).includes(`>${code}</a>`)),
          ...successes
            .flatMap(({ $ref }) => ($ref ? [named($ref)] : []))
            .flatMap((type) => without(`type-${type}`, Object.keys(schemas[type].properties ?? {}))),
        ];
      });
      expect(missing).toEqual([]);
      expect(operations.length).toBeGreaterThan(90);
    },
  );

  const codesIn = (folder: string, form: RegExp): string[] =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .flatMap((file) => [...readFileSync(join(root, folder, file), 'utf8').matchAll(form)])
      .map(([, code = '']) => code);

  it('has every error code that the gateways answer with, and no other', () => {
    const known = new Set([
      ...codesIn('apps/gateway/src', /\b[45]\d\d,\s*'([A-Z][A-Z_]{3,})'/g),
      ...codesIn('apps/gateway/src/errors', /^ {2}([A-Z_]{4,}): '/gm),
      ...codesIn('apps/connector-gateway/src/refusal', /code: '([A-Z_]+)'/g),
    ]);
    expect(known.size).toBeGreaterThan(110);
    const shown = idsIn(text('/docs/errors')).filter((id) => /^[A-Z_]+$/.test(id));
    expect(shown.sort()).toEqual([...known].sort());
  });

  it('has every setting', () => {
    const table = readFileSync(join(root, 'docs/settings.md'), 'utf8');
    const names = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z][A-Z0-9_]{3,})`/g)].map(([, name = '']) => name),
    );
    expect(names.length).toBeGreaterThan(60);
    const ids = new Set(idsIn(text('/docs/settings')));
    expect(names.filter((name) => !ids.has(name))).toEqual([]);
  });
});

describe('the search', () => {
  const entries = JSON.parse(text(index));

  it('has an index of at most 150 kB, compressed', () => expect(kilobytes(text(index))).toBeLessThan(150));

  it.each([
    ['CARILLON_KEEP_DAYS', '/docs/settings#CARILLON_KEEP_DAYS'],
    ['rate_limited', '/docs/errors#RATE_LIMITED'],
    ['quiet hours', '/docs/api-notes#quiet-hours'],
    ['send notif', '/docs/reference/agent/notifications#sendNotification'],
    ['Live activity from a shell', '/docs/guides/live-activity'],
  ])('finds "%s" first', (query, url) => expect(find(entries, query)[0]?.url).toBe(url));

  it.each(['', ' ', '!', 'qqqqzzzz', 'constructor qqqqzzzz'])('finds nothing for "%s"', (query) =>
    expect(find(entries, query)).toEqual([]),
  );

  it('leads to parts that are there', () => {
    for (const query of ['notification', 'page', 'token'])
      for (const { url } of find(entries, query)) {
        const [path = '', id] = url.split('#');
        expect([url, id === undefined || idsIn(text(path)).includes(id)]).toEqual([url, true]);
      }
  });
});
