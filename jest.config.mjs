import { compiler } from './tools/compiler.mjs';

// Four tiers, told apart by the file name alone: .spec (no I/O), .it.spec (real parts), .e2e.spec (whole house) and
// .browser.spec (a browser before a whole house).
const common = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/deploy'],
  setupFiles: ['reflect-metadata'],
  moduleNameMapper: {
    '^@carillon/app-gateway$': '<rootDir>/apps/gateway/src/gateway.ts',
    '^@carillon/app-([a-z-]+)$': '<rootDir>/apps/$1/src/$1.module.ts',
    '^@carillon/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': ['@swc/jest', { module: { type: 'es6' }, ...compiler }],
  },
};

export default {
  testSequencer: '<rootDir>/tools/jest-order.mjs',
  projects: [
    {
      ...common,
      displayName: 'spec',
      testMatch: ['**/*.spec.ts'],
      // A contract is run by the specs of those who keep it.
      testPathIgnorePatterns: ['\\.(it|e2e|browser|contract)\\.spec\\.ts$', '/dist/'],
    },
    { ...common, displayName: 'it', testMatch: ['**/*.it.spec.ts'] },
    { ...common, displayName: 'e2e', testMatch: ['**/*.e2e.spec.ts'] },
    { ...common, displayName: 'browser', testMatch: ['**/*.browser.spec.ts'] },
  ],
};
