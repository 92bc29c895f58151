import { Refused } from '@carillon/eventing';
import { allowedRanges, destinationOf, isOpenPort, mayBeCalled } from './destination';

const none = allowedRanges('');

/** What becomes of a URL: an address that is judged here, a name that is looked up later, or no URL at all. */
function judged(url: string, allowed = none): 'refused' | 'called' | 'looked up' | 'no url' {
  try {
    const { address } = destinationOf(url);
    if (address === null) return 'looked up';
    return mayBeCalled(address, allowed) ? 'called' : 'refused';
  } catch (error) {
    return error instanceof Refused ? 'refused' : 'no url';
  }
}

describe('a URL', () => {
  it.each<[string, string, ReturnType<typeof judged>]>([
    ['a public name', 'https://hooks.example.com/x', 'looked up'],
    ['a public name with a dot at its end', 'https://hooks.example.com./x', 'looked up'],
    ['an international name', 'https://bücher.example/', 'looked up'],
    ['a name with an underscore', 'https://a_b.example/', 'looked up'],
    ['a name of digits and letters', 'https://1e100.net/', 'looked up'],
    ['a public address', 'https://93.184.216.34/', 'called'],
    ['a public address in hexadecimal', 'https://0x5db8d822/', 'called'],
    ['a public IPv6 address', 'https://[2606:2800:220:1::1]/', 'called'],
    ['loopback', 'https://127.0.0.1/', 'refused'],
    ['loopback with a dot at its end', 'https://127.0.0.1./', 'refused'],
    ['loopback with two dots at its end', 'https://127.0.0.1../', 'refused'],
    ['loopback as one decimal', 'https://2130706433/', 'refused'],
    ['loopback as one octal', 'https://017700000001/', 'refused'],
    ['loopback as one hexadecimal', 'https://0x7f000001/', 'refused'],
    ['loopback in mixed bases', 'https://0x7f.0.0.01/', 'refused'],
    ['loopback in two parts', 'https://127.1/', 'refused'],
    ['loopback in three parts', 'https://127.0.1/', 'refused'],
    ['the far end of loopback', 'https://127.255.255.254/', 'refused'],
    ['loopback in circled digits', 'https://①②⑦.⓪.⓪.①/', 'refused'],
    ['loopback in full-width digits', 'https://１２７.０.０.１/', 'refused'],
    ['loopback with ideographic stops', 'https://127。0。0。1/', 'refused'],
    ['loopback with percent escapes', 'https://%31%32%37.0.0.1/', 'refused'],
    ['a hexadecimal with leading zeros', 'https://0x000000007f000001/', 'refused'],
    ['an octal private address', 'https://0300.0250.1.1/', 'refused'],
    ['an address of five parts', 'https://1.2.3.4.5/', 'no url'],
    ['an address that overflows', 'https://4294967296/', 'no url'],
    ['an address with a part too big', 'https://256.1.1.1/', 'no url'],
    ['zero', 'https://0/', 'refused'],
    ['this network', 'https://0.0.0.0/', 'refused'],
    ['private 10/8', 'https://10.1.2.3/', 'refused'],
    ['private 172.16/12', 'https://172.31.255.255/', 'refused'],
    ['just above 172.16/12', 'https://172.32.0.1/', 'called'],
    ['private 192.168/16', 'https://192.168.1.1/', 'refused'],
    ['what carriers share', 'https://100.64.0.1/', 'refused'],
    ['just below what carriers share', 'https://100.63.255.255/', 'called'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data/', 'refused'],
    ['the metadata of a cloud as a decimal', 'https://2852039166/', 'refused'],
    ['multicast', 'https://224.0.0.1/', 'refused'],
    ['reserved', 'https://240.0.0.1/', 'refused'],
    ['broadcast', 'https://255.255.255.255/', 'refused'],
    ['documentation', 'https://203.0.113.7/', 'refused'],
    ['benchmarks', 'https://198.19.255.255/', 'refused'],
    ['relays of 6to4', 'https://192.88.99.1/', 'refused'],
    ['IPv6 loopback', 'https://[::1]/', 'refused'],
    ['IPv6 loopback at full length', 'https://[0000:0000:0000:0000:0000:0000:0000:0001]/', 'refused'],
    ['no IPv6 address', 'https://[::]/', 'refused'],
    ['mapped loopback', 'https://[::ffff:127.0.0.1]/', 'refused'],
    ['mapped loopback in hexadecimal', 'https://[::ffff:7f00:1]/', 'refused'],
    ['a mapped public address', 'https://[::ffff:93.184.216.34]/', 'refused'],
    ['a compatible loopback', 'https://[::127.0.0.1]/', 'refused'],
    ['loopback behind NAT64', 'https://[64:ff9b::127.0.0.1]/', 'refused'],
    ['a public address behind NAT64', 'https://[64:ff9b::93.184.216.34]/', 'refused'],
    ['NAT64 of one network', 'https://[64:ff9b:1::1]/', 'refused'],
    ['6to4 of a private address', 'https://[2002:a00:1::1]/', 'refused'],
    ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/', 'refused'],
    ['ORCHID', 'https://[2001:20::1]/', 'refused'],
    ['just above the protocol assignments', 'https://[2001:200::1]/', 'called'],
    ['IPv6 documentation', 'https://[2001:db8::1]/', 'refused'],
    ['the newer IPv6 documentation', 'https://[3fff::1]/', 'refused'],
    ['unique local', 'https://[fd00:ec2::254]/', 'refused'],
    ['link-local', 'https://[fe80::1]/', 'refused'],
    ['link-local with a zone', 'https://[fe80::1%25eth0]/', 'no url'],
    ['site-local', 'https://[fec0::1]/', 'refused'],
    ['IPv6 multicast', 'https://[ff02::1]/', 'refused'],
    ['discard', 'https://[100::1]/', 'refused'],
    ['segment routing', 'https://[5f00::1]/', 'refused'],
    ['not given out to anybody', 'https://[4000::1]/', 'refused'],
    ['localhost', 'https://localhost/', 'refused'],
    ['localhost in capitals', 'https://LOCALHOST/', 'refused'],
    ['localhost with a dot at its end', 'https://localhost./', 'refused'],
    ['localhost with percent escapes', 'https://%6c%6fcalhost/', 'refused'],
    ['localhost in circled letters', 'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'refused'],
    ['localhost with a soft hyphen', 'https://local\u00adhost/', 'refused'],
    ['a name below localhost', 'https://evil.localhost/', 'refused'],
    ['localhost of a hosts file', 'https://ip6-localhost/', 'refused'],
    ['a name with an empty label', 'https://a..example/', 'refused'],
    ['a wildcard', 'https://*.example.com/', 'refused'],
    ['a label of 64', `https://${'a'.repeat(64)}.example/`, 'refused'],
    [
      'a name of 254',
      `https://${'a'.repeat(62)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}/`,
      'refused',
    ],
    ['another port', 'https://hooks.example.com:8443/', 'looked up'],
    ['a high port', 'https://93.184.216.34:9443/', 'called'],
    ['the port of plain HTTP', 'https://hooks.example.com:80/', 'refused'],
    ['the port of SSH', 'https://hooks.example.com:22/', 'refused'],
    ['the port of SMTP', 'https://hooks.example.com:25/', 'refused'],
    ['the port of submission', 'https://hooks.example.com:587/', 'refused'],
    ['the other port of SMTP', 'https://hooks.example.com:2525/', 'refused'],
    ['the port of Postgres', 'https://hooks.example.com:5432/', 'refused'],
    ['the port of Redis with zeros before it', 'https://hooks.example.com:06379/', 'refused'],
    ['no TLS', 'http://hooks.example.com:8443/', 'refused'],
    ['a backslash for a slash', 'https:\\\\127.0.0.1\\', 'refused'],
    ['a user name that looks like a host', 'https://hooks.example.com@127.0.0.1/', 'refused'],
  ])('with %s: %s is %s', (_, url, outcome) => expect(judged(url)).toBe(outcome));

  it('gives the host as a certificate names it', () => {
    expect(destinationOf('https://Hooks.Example.com.:8443/x')).toEqual({
      host: 'hooks.example.com',
      port: 8443,
      address: null,
    });
    expect(destinationOf('https://[2606:2800::1]/')).toEqual({
      host: '2606:2800::1',
      port: 443,
      address: '2606:2800::1',
    });
  });
});

describe('an open port', () => {
  it.each([443, 1024, 8080, 8443, 9000, 65_535])('is %d', (port) => expect(isOpenPort(port)).toBe(true));
  it.each([0, 1, 25, 80, 110, 143, 444, 465, 993, 1023, 1433, 1521, 3306, 27_017, 65_536])(
    'is not %d',
    (port) => expect(isOpenPort(port)).toBe(false),
  );
});

describe('an address that a name server gave', () => {
  it.each(['', 'fe80::1%eth0', '127.0.0.1%lo', 'localhost', '1.2.3', '0x7f000001'])(
    'is refused as %j',
    (text) => expect(mayBeCalled(text, allowedRanges('0.0.0.0/0,::/0'))).toBe(false),
  );
});

describe('ranges that the operator allows', () => {
  it.each<[string, string, boolean]>([
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', true],
    ['10.0.0.0/8', 'https://192.168.0.1/', false],
    ['10.0.0.0/8', 'https://[::ffff:10.0.0.1]/', true],
    ['10.0.0.0/8', 'https://[::ffff:192.168.0.1]/', false],
    ['10.0.0.0/8', 'https://[64:ff9b::10.0.0.1]/', false],
    ['64:ff9b::/96', 'https://[64:ff9b::10.0.0.1]/', false],
    ['64:ff9b::/96', 'https://[64:ff9b::93.184.216.34]/', true],
    ['64:ff9b::/96, 10.0.0.0/8', 'https://[64:ff9b::a00:1]/', true],
    ['::/0', 'https://[64:ff9b::7f00:1]/', false],
    ['::/0', 'https://127.0.0.1/', false],
    ['::/0', 'https://[::ffff:127.0.0.1]/', false],
    ['::/0', 'https://[::1]/', true],
    ['0.0.0.0/0', 'https://[::1]/', false],
    ['127.0.0.1', 'https://127.0.0.1/', true],
    ['127.0.0.1', 'https://127.0.0.2/', false],
    ['127.0.0.0/8', 'https://localhost/', true],
    ['127.0.0.0/8 fd00::/8', 'https://[fd00::7]/', true],
    ['127.0.0.0/8', 'https://127.0.0.1:5432/', false],
  ])('%s: %s is called: %s', (ranges, url, called) =>
    expect(judged(url, allowedRanges(ranges))).toBe(called ? 'called' : 'refused'),
  );

  it.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    'intranet',
    'fe80::%1/10',
  ])('are not %s', (text) => expect(() => allowedRanges(text)).toThrow(text));
});
