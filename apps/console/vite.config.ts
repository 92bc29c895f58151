import { join } from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;

const isOfEveryPage =
  /rolldown\/runtime|\/(@?preact|preact-iso|openapi-fetch|libs\/client)\/|\/src\/(api|session|stream)\/|\/parts\/(form|page|state)\./;

/** Two builds by mode: `page`, and `worker`, whose file has a fixed name and shares no chunk with the page. */
export default defineConfig(({ mode }) => ({
  root: here,
  base: '/console/',
  publicDir: mode === 'page' && 'public',
  resolve: { alias: { '@carillon/client': join(here, '../../libs/client/src/index.ts') } },
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
            // One file of what every page needs. Left to itself, the bundler cuts it up by who shares what.
            output: { codeSplitting: { groups: [{ name: 'shell', test: isOfEveryPage }] } },
          },
  },
}));
