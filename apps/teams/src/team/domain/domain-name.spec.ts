import { Refused } from '@carillon/eventing';
import { costlyTexts } from '@carillon/testkit';
import { domainName, insistOnOwnMailboxes } from './domain-name';

const refusal = (given: string): string => {
  try {
    const name = domainName(given);
    insistOnOwnMailboxes(name);
    return `taken as ${name}`;
  } catch (error) {
    return error instanceof Refused ? error.reason : String(error);
  }
};

describe('the domain of a team', () => {
  it.each([
    ['acme.com', 'acme.com'],
    ['  Acme.COM ', 'acme.com'],
    ['acme.com.', 'acme.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['mail.acme.co.uk', 'mail.acme.co.uk'],
    ['acme.internal', 'acme.internal'],
    ['a.io', 'a.io'],
    ['example.com', 'example.com'],
    ['acme。com', 'acme.com'],
  ])('%j is %s', (given, name) => expect(domainName(given)).toBe(name));

  it.each([
    ['no dot', 'localhost'],
    ['nothing', ''],
    ['a dot alone', '.'],
    ['an empty part', 'acme..com'],
    ['a public suffix', 'co.uk'],
    ['a suffix that a company shares', 'github.io'],
    ['www', 'www.acme.com'],
    ['an address', '192.168.0.1'],
    ['an address in hexadecimal', '0x7f.0.0.1'],
    ['an IPv6 address', '[::1]'],
    ['an e-mail address', 'ann@acme.com'],
    ['a URL', 'https://acme.com'],
    ['a port', 'acme.com:443'],
    ['a wildcard', '*.acme.com'],
    ['a space', 'acme .com'],
    ['a hyphen at the end of a part', 'acme-.com'],
    ['a part of 64', `${'a'.repeat(64)}.com`],
    ['254 characters', `${'a.'.repeat(125)}acme`],
  ])('with %s is refused', (_what, given) => expect(refusal(given)).toBe('input.invalid'));

  it.each(['gmail.com', 'GMail.com.', 'web.de', 'mail.gmail.com', 'yahoo.co.uk', 'icloud.com'])(
    '%s is not, because anybody has addresses there',
    (given) => expect(refusal(given)).toBe('domain.public_mailbox'),
  );
});

it('the work of a domain grows with the length of what was written', () =>
  expect(costlyTexts(refusal, ['a.', 'a-', '1.'])).toEqual([]));
