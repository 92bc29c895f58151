import { serviceNames, type ServiceName } from '@carillon/contracts';
import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';

export interface OneProjection {
  readonly service: ServiceName;
  readonly projection: string;
}

const isService = (name: string): name is ServiceName => serviceNames.some((each) => each === name);

/** Reads the command line of rebuild.ts. Throws `BadUsage`. */
export function rebuildOptions(args: string[]): 'all' | OneProjection {
  const { values, positionals } = parsed(() =>
    parseArgs({ args, options: { all: { type: 'boolean' } }, allowPositionals: true }),
  );
  const [service, projection] = positionals;
  if (values.all && service === undefined) return 'all';
  if (values.all || !service || !projection || positionals.length > 2) throw new BadUsage();
  if (!isService(service))
    throw new BadUsage(`"${service}" is no service. There are: ${serviceNames.join(', ')}`);
  return { service, projection };
}
