import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateText } from './private-file';

const dayMs = 86_400_000;
const years = 20;

export interface Certificate {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** What a part on this machine proves itself with, and the authority that says so; made at the first start. */
export async function certificateIn(folder: string): Promise<Certificate> {
  const files = {
    caFile: join(folder, 'ca.pem'),
    certFile: join(folder, 'server.pem'),
    keyFile: join(folder, 'server.key'),
  };
  if (Object.values(files).every((file) => existsSync(file))) return files;
  // Loaded only here: what it stands on is large, and most starts and tests have no use for it.
  const { generate } = await import('selfsigned');
  const validity = {
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + years * 365 * dayMs),
    keyType: 'ec' as const,
    algorithm: 'sha256',
  };
  const ca = await generate([{ name: 'commonName', value: 'Carillon standalone' }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...validity,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The authority's own key is not kept: nothing else can ever be issued in its name.
  writePrivateText(files.caFile, ca.cert);
  writePrivateText(files.keyFile, server.private);
  writePrivateText(files.certFile, server.cert);
  return files;
}
