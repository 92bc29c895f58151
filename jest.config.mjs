import { compiler } from './tools/compiler.mjs';

// The tiers are told apart by the file name alone: .spec (no I/O), .it.spec (real parts), .e2e.spec (whole house),
// .browser.spec (a browser before a whole house) and .nightly.spec (a whole house, for long).
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
      testPathIgnorePatterns: ['\\.(it|e2e|browser|nightly|contract)\\.spec\\.ts$', '/dist/'],
    },
    { ...common, displayName: 'it', testMatch: ['**/*.it.spec.ts'] },
    { ...common, displayName: 'e2e', testMatch: ['**/*.e2e.spec.ts'] },
    { ...common, displayName: 'browser', testMatch: ['**/*.browser.spec.ts'] },
    // With those that try more where there is time.
    {
      ...common,
      displayName: 'nightly',
      testMatch: ['**/*.nightly.spec.ts', '**/interleavings.e2e.spec.ts'],
    },
  ],
};
