// Lets the conformance suite run on Node 20: it imports `globSync` of Node 22 from `fs`, for a command that is not used here.
import fs from 'node:fs';
import { register } from 'node:module';

const withGlobs = `export * from 'node:fs'; export const globSync = () => [];`;
const hook = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL.includes('/@modelcontextprotocol/conformance/')
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(withGlobs)}`)}, shortCircuit: true }
    : next(name, context);`;
if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(hook)}`);
