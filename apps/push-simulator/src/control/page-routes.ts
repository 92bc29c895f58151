import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const files = [
  { path: '/', name: 'page.html', type: 'text/html' },
  { path: '/page.css', name: 'page.css', type: 'text/css' },
  ...['page', 'activity', 'element', 'activity-text', 'words'].map((name) => ({
    path: `/${name}.js`,
    name: `${name}.js`,
    type: 'text/javascript',
  })),
];
const headers = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  // The address of the page has the secret.
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The page and its parts, read once. */
export function pageRoutes(page: FastifyInstance): void {
  for (const { path, name, type } of files) {
    const content = readFileSync(new URL(`../page/${name}`, import.meta.url));
    page.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: (_request, reply) =>
        reply.headers({ ...headers, 'content-type': `${type}; charset=utf-8` }).send(content),
    });
  }
}
