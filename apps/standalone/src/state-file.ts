import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './private-file';
import type { FirstAccount, PairedPhone } from './secret-values';

/** What scripts and tests read: there while everything is ready, gone after a clean stop. */
export interface State {
  readonly baseUrl: string | null;
  /** Its path is the secret without which the phones are shown to nobody, and pressed by nobody. */
  readonly simulatorUrl: string | null;
  readonly consoleUrl: null;
  readonly metricsUrl: string | null;
  /** Of a cluster: that of each process, by its name. */
  readonly metricsUrls?: Readonly<Record<string, string>>;
  readonly eventStoreUrl: string;
  readonly natsUrl: string;
  /** Of a closed bus: the server certificate that its users trust. */
  readonly natsCaFile?: string;
  readonly databaseUrl: string;
  /** Of a cluster: that of each service, with a role of its own. */
  readonly databaseUrls?: Readonly<Record<string, string>>;
  readonly account: FirstAccount | null;
  readonly apiToken: string | null;
  readonly phones: readonly PairedPhone[];
  readonly pid: number;
}

const fileIn = (dataFolder: string): string => join(dataFolder, 'standalone.json');

export const writeState = (dataFolder: string, state: State): void => writePrivate(fileIn(dataFolder), state);

export const removeState = (dataFolder: string): void => rmSync(fileIn(dataFolder), { force: true });
