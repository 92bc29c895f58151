/** Headers that are for one connection only (RFC 9110, 7.6.1), and those that it names. */
const always = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const usual: ReadonlySet<string> = new Set(always);

/** Names, as `dashed` writes them, of what must not go on. */
export function hopByHop(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || /^(keep-alive|close|upgrade)$/i.test(connection)) return usual;
  const named = connection.split(',').map((name) => dashed(name.trim()));
  // Without its length a body would be taken for another request.
  return new Set([...always, ...named.filter((name) => name !== 'content-length')]);
}

/** A name as read by servers that take `_` and `-` for the same. */
export const dashed = (name: string): string =>
  (name.includes('_') ? name.replaceAll('_', '-') : name).toLowerCase();
