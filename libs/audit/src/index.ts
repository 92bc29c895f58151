export {
  type AuditKey,
  type Checkpoint,
  jwkOf,
  type PublicJwk,
  readAuditKeys,
  signCheckpoint,
} from './checkpoint';
export { csvHeader, csvOf } from './csv';
export { digestOf, type Erasable, hashOf, type Lasting, noHash, type Proof, type EntryView } from './entry';
export { readExport } from './read-export';
export { type Finding, type VerificationReport, verify, type VerifyOptions } from './verify';
