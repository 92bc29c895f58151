import { connect } from 'node:net';
import { bareHost, type Targets } from '../routing/targets';

const withinMs = 2_000;

/** True when somebody takes connections where a route leads. */
export function isReachable(target: string, targets: Targets): Promise<boolean> {
  return new Promise((resolve) => {
    if (!URL.canParse(target)) return resolve(false);
    const { hostname, port, protocol } = new URL(target);
    if (!targets.allowsHost(hostname)) return resolve(false);
    const socket = connect({
      lookup: targets.lookup,
      host: bareHost(hostname),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
    });
    const end = (reachable: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reachable);
    };
    const timer = setTimeout(() => end(false), withinMs);
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
