import { type ErrorFields, errorFieldsOf } from '@carillon/eventing';

/** The fault in the settings, if the error indicates one. */
export function unfit(error: unknown): string | undefined {
  for (const { type, code, message } of causes(error)) {
    if (code === 16)
      return 'The event store does not know this user with this password: look at EVENTSTORE_URL (esdb://user:password@host).';
    if (type === 'access-denied' || code === 7)
      return 'The event store does not let this user read its log: EVENTSTORE_URL must name a user who may read $all.';
    if (typeof message !== 'string') continue;
    // Node 26 does not accept an IP address as a TLS server name.
    if (/TLS ServerName/.test(message))
      return (
        'This version of Node connects over TLS only to a name: EVENTSTORE_URL must have the host as its certificate names ' +
        'it, and not its address.'
      );
    if (/certificate|self[- ]signed|altname|CERT_/i.test(message))
      return (
        "The event store's certificate is not trusted: name its authority in EVENTSTORE_URL with tlsCAFile=<file>, and " +
        'the host as the certificate names it.'
      );
    if (/wrong version number|EPROTO|packet length too long/i.test(message))
      return 'The event store does not speak TLS: EVENTSTORE_URL needs ?tls=false, or the store a certificate.';
  }
  return undefined;
}

function* causes(error: unknown): Iterable<ErrorFields> {
  for (let told = error, depth = 0; typeof told === 'object' && told !== null && depth < 8; depth += 1) {
    yield told;
    told = errorFieldsOf(told).cause;
  }
}

/** The most specific message: that of the last cause. */
export function kindOf(error: unknown): string {
  const last = [...causes(error)].at(-1)?.message;
  return typeof last === 'string' && last !== '' ? last.slice(0, 200) : String(error).slice(0, 200);
}
