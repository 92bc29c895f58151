import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const here = import.meta.dirname;

/** The page runs the early part as soon as it is there: the other scripts wait for each other and for the styles. */
const early: Plugin = {
  name: 'early',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const link = /\s*<link rel="modulepreload"[^>]* href="([^"]*\/early-[^"]*)">/;
      const url = link.exec(html)?.[1];
      if (url === undefined) throw new Error('The document names no early part');
      const script = `<script type="module" async crossorigin src="${url}"></script>`;
      return html.replace(link, '').replace('<script ', `${script}\n    <script `);
    },
  },
};

/** Two builds by mode: `page`, and `worker`, whose file has a fixed name and shares no chunk with the page. */
export default defineConfig(({ mode }) => ({
  root: here,
  base: '/console/',
  publicDir: mode === 'page' && 'public',
  resolve: { alias: { '@carillon/client': join(here, '../../libs/client/src/index.ts') } },
  plugins: mode === 'page' ? [early] : [],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // Safari 16.4 is the first that shows notifications of a page on the home screen.
    target: ['safari16.4', 'chrome111', 'firefox115'],
    outDir: join(here, '../../dist/apps/console'),
    emptyOutDir: false,
    // The policy lets in no `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // For the limits of its size.
    manifest: mode === 'page' && 'chunks.json',
    rolldownOptions:
      mode === 'worker'
        ? {
            input: join(here, 'src/worker/worker.ts'),
            output: { entryFileNames: 'worker.js', format: 'iife' },
          }
        : {
            input: join(here, 'index.html'),
            // One file of what the start needs. Left to itself, the bundler cuts it up by who shares what.
            output: {
              codeSplitting: {
                groups: [
                  { name: 'early', test: /\/src\/early\// },
                  { name: 'shell', tags: ['$initial'] },
                ],
              },
            },
          },
  },
}));
