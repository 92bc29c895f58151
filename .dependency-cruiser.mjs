// Finds knots between files, between the folders of an app and between libs, and imports that lead nowhere. Who may
// import whom is eslint's part.
/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Files that import each other in a circle cannot be understood or loaded one by one.',
      from: {},
      // An import of types alone is gone when it runs.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-folder-circular',
      severity: 'error',
      comment: 'Folders of an app that need each other in a circle are one noun, or one of them holds two.',
      scope: 'folder',
      from: { path: '^apps/([^/]+)/src/' },
      to: { path: '^apps/$1/src/', circular: true },
    },
    {
      name: 'no-lib-circular',
      severity: 'error',
      comment: 'Libs, or folders of one, that need each other in a circle cannot be understood one by one.',
      scope: 'folder',
      from: { path: '^libs/' },
      to: { path: '^libs/', circular: true },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      comment: 'An import that leads nowhere: a typo, or a package that is not declared.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.json'],
    },
  },
};
