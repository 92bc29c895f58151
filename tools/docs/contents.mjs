// Which documents become pages, and in which order the contents name them. `docs/` and what comes after the name of a
// document are left out; what no section names becomes a page too, listed where its folder is.
export const sections = [
  {
    title: 'Guides',
    pages: [
      'guides/first-notification',
      'guides/ask',
      'guides/hooks',
      'guides/live-activity',
      'guides/on-call',
      'guides/webhooks',
      'guides/mcp',
      'guides/connectors',
      'guides/self-hosting',
    ],
  },
  {
    title: 'Using Carillon',
    pages: [
      'console',
      'cli',
      'mcp',
      'oauth',
      'services',
      'webhooks',
      'events',
      'integrations/README',
      'integrations/alertmanager',
      'integrations/grafana',
      'integrations/home-assistant',
      'integrations/import',
      'examples/family',
      'examples/oncall',
      'examples/private-app',
      'api-notes',
    ],
  },
  { title: 'Reference', pages: ['settings'] },
  {
    title: 'Operating',
    pages: [
      'deployment',
      'upgrades',
      'operations',
      'runbooks/README',
      'web-push',
      'scale',
      'event-store',
      'audit-log',
      'metrics',
      'traces',
      'certificate',
      'benchmarks',
    ],
  },
  { title: 'How it works', pages: ['README', 'architecture', 'glossary', 'adr/README'] },
];

/** The address of a page, without what it begins with: that of a folder is the folder's. */
export const slugOf = (name) => (name === 'README' ? 'overview' : name.replace(/\/README$/, ''));

/** Files that documents link to and that are served as they are. */
export const isFile = (path) => /^docs\/(asyncapi\.yaml|examples\/[\w-]+\.mjs)$/.test(path);

/** What reads best in a page of its own. */
export const elsewhere = {
  'docs/openapi/agent.yaml': 'docs/reference/agent.md',
  'docs/openapi/session.yaml': 'docs/reference/session.md',
};
