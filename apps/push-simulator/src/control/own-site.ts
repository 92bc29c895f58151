/** What is looked at of a request before anything is done for it. */
export interface Visit {
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Where it came in. */
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
}

/**
 * Why a request is not taken; undefined when it is. Whoever can use a browser of this machine must not press buttons
 * here with it: a name of theirs that points to this machine has another host, a page of theirs (of this machine too)
 * another origin, and a form cannot send JSON. Programs without a browser send none of those headers.
 */
export function refusalOf({
  method,
  headers,
  localAddress,
  localPort,
}: Visit): { readonly status: number; readonly error: string } | undefined {
  const hosts = ownHosts(localAddress, localPort);
  const { host, origin, 'sec-fetch-site': site, 'content-type': type } = headers;
  if (typeof host !== 'string' || !hosts.has(host.toLowerCase()))
    return { status: 421, error: 'this is not the simulator of that host' };
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return { status: 403, error: 'requests from other sites are not taken' };
  if (origin !== undefined && !isOwn(origin, hosts))
    return { status: 403, error: 'requests from other origins are not taken' };
  if (method === 'GET' || method === 'HEAD') return undefined;
  const isJson = typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
  // No page can send a DELETE without having asked, which nobody is told yes.
  if (!isJson && !(method === 'DELETE' && isEmpty(headers)))
    return { status: 415, error: 'requests that change something are application/json' };
  return undefined;
}

function ownHosts(address: string | undefined, port: number | undefined): ReadonlySet<string> {
  const plain = address?.replace(/^::ffff:/, '');
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  if (plain !== undefined) names.push(plain.includes(':') ? `[${plain}]` : plain);
  return new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]));
}

const isOwn = (origin: string | string[], hosts: ReadonlySet<string>): boolean =>
  typeof origin === 'string' &&
  origin.startsWith('http://') &&
  hosts.has(origin.slice('http://'.length).toLowerCase());

const isEmpty = (headers: Visit['headers']): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
