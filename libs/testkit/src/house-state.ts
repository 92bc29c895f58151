import { readFileSync } from 'node:fs';
import type { HousePhone } from './house-account';

/** The content of standalone.json. */
export interface HouseState {
  readonly baseUrl: string;
  readonly simulatorUrl: string;
  /** Null in a cluster, where each process has its own. */
  readonly metricsUrl: string | null;
  readonly metricsUrls?: Readonly<Record<string, string>>;
  readonly eventStoreUrl: string;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  /** Of a cluster: that of each service, with a role of its own. */
  readonly databaseUrls?: Readonly<Record<string, string>>;
  readonly account: { readonly id: string; readonly email: string; readonly password: string };
  readonly apiToken: string;
  readonly phones: readonly HousePhone[];
  readonly pid: number;
}

/** Undefined while there is none: a house that starts takes away what a crash has left, at any moment. */
export function stateIn(file: string): HouseState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as HouseState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
