const loopbacks: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Schemes that a browser or the system handles itself, so that no app can receive an answer under them. */
const takenSchemes: ReadonlySet<string> = new Set([
  ...[
    'about:',
    'blob:',
    'data:',
    'file:',
    'filesystem:',
    'ftp:',
    'ftps:',
    'gopher:',
    'javascript:',
    'mailto:',
  ],
  ...['sftp:', 'sms:', 'ssh:', 'tel:', 'telnet:', 'urn:', 'vbscript:', 'view-source:', 'ws:', 'wss:'],
]);

const schemeForm = /^[a-z][a-z0-9+.-]*:/;

/** Why a client may not have its answers sent here; undefined when it may. */
export function faultOfRedirect(uri: string): string | undefined {
  if (uri.length > 2_048) return 'A redirect URI has at most 2048 characters.';
  if (!URL.canParse(uri)) return 'A redirect URI must be an absolute URI.';
  const { protocol, hash, username, password } = new URL(uri);
  if (hash !== '' || uri.includes('#')) return 'A redirect URI must not have a fragment.';
  if (username !== '' || password !== '') return 'A redirect URI must not name a user.';
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(uri))) return undefined;
  if (protocol === 'http:' || takenSchemes.has(protocol) || !schemeForm.test(protocol))
    return 'A redirect URI must have the scheme https, a private-use scheme, or lead to the loopback address.';
  return undefined;
}

/** Whether the answer goes to a program on the computer of the person, which anybody could have started. */
export const isLoopback = (uri: string): boolean => {
  const { protocol, hostname } = new URL(uri);
  return (protocol === 'http:' || protocol === 'https:') && loopbacks.has(hostname);
};

/** The host and port that the answer goes to, or the scheme where there is no host. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1);
}
