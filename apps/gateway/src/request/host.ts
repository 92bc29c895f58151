import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine reaches what has this name. */
const isLocal = (name: string): boolean => {
  if (name === 'localhost') return true;
  const family = isIP(name);
  return family !== 0 && loopback.check(name, family === 6 ? 'ipv6' : 'ipv4');
};

/** The name in a Host header or a URL's host: without the port, and without the brackets of an address. */
const nameIn = (host: string): string =>
  (/^\[([^\]]*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')).toLowerCase();

/**
 * Tells which Host headers a gateway serves that only its own machine reaches: addresses, `localhost`, and the name
 * that people use. A page elsewhere whose own name suddenly leads to this machine would else count as the same site,
 * and its visitor's browser would sign people up for it. One that the world reaches serves every name: it has nothing
 * to tell a browser that the page's owner could not ask for.
 */
export function servedHosts(listensOn: string, baseUrl: string): (host: string) => boolean {
  const own = nameIn(new URL(baseUrl).host);
  if (!isLocal(listensOn) && !isLocal(own)) return () => true;
  return (host) => {
    const name = nameIn(host);
    return isIP(name) !== 0 || name === 'localhost' || name === own;
  };
}

/**
 * Tells which `Origin` headers a gateway takes at routes that browsers of other sites must not reach: its own, and on a
 * gateway that only its own machine reaches, also those of that machine.
 */
export function allowedOrigins(listensOn: string, baseUrl: string): (origin: string) => boolean {
  const { origin: own, host } = new URL(baseUrl);
  const isOnlyLocal = isLocal(listensOn) || isLocal(nameIn(host));
  return (origin) =>
    origin === own || (isOnlyLocal && URL.canParse(origin) && isLocal(nameIn(new URL(origin).host)));
}
