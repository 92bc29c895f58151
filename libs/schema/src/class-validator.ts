import type * as Whole from 'class-validator';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** A file of the package, which says its types only for the whole. */
const part = (file: string): typeof Whole => require(`class-validator/cjs/${file}.js`);

/**
 * What is used of class-validator, file by file. The package as a whole loads a check for everything there is, bank
 * accounts and the phone numbers of all countries among them: 320 files, for which each process would wait.
 */
export const { ValidateBy } = part('decorator/common/ValidateBy');
export const { ValidateIf } = part('decorator/common/ValidateIf');
export const { ValidateNested } = part('decorator/common/ValidateNested');
export const { getMetadataStorage } = part('metadata/MetadataStorage');
export const { Validator } = part('validation/Validator');
