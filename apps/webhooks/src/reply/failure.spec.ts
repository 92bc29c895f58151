import { failureOf, type Stage } from './failure';

describe('an error of the network', () => {
  it.each<[string | undefined, Stage, string]>([
    ['ECONNREFUSED', 'connecting', 'connect_error'],
    ['EHOSTUNREACH', 'connecting', 'connect_error'],
    ['ENETUNREACH', 'connecting', 'connect_error'],
    ['ETIMEDOUT', 'connecting', 'timeout'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'handshake', 'tls_error'],
    ['CERT_HAS_EXPIRED', 'handshake', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'handshake', 'tls_error'],
    ['EPROTO', 'handshake', 'tls_error'],
    ['ECONNRESET', 'handshake', 'tls_error'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'open', 'tls_error'],
    ['ECONNRESET', 'open', 'connect_error'],
    ['EPIPE', 'open', 'connect_error'],
    ['HPE_INVALID_CONSTANT', 'open', 'connect_error'],
    ['HPE_HEADER_OVERFLOW', 'open', 'response_too_large'],
    [undefined, 'open', 'connect_error'],
  ])('%s while %s is %s', (code, stage, error) => {
    expect(failureOf(code, stage)).toBe(error);
  });
});
