import type { InviteNotice } from '@carillon/contracts';
import { deadInviteDocument, inviteDocument, documentHeaders } from './document';

const code = '0123456789abcdefghjkmnpqrs';
const shown = (said: Partial<InviteNotice> = {}): string =>
  inviteDocument(
    {
      team: { name: 'The Smiths', kind: 'family' },
      role: 'member',
      form: 'open',
      domain: null,
      expiresAt: '2026-11-27T09:00:00.000Z',
      ...said,
    },
    code,
    'https://carillon.example/',
  );

describe('the document of an invite', () => {
  it('names the invited team, the expiry, and how to accept', () => {
    const document = shown();
    expect(document).toContain('into the family <strong>The Smiths</strong>');
    expect(document).toContain('2026-11-27 09:00');
    expect(document).toContain(`POST https://carillon.example/api/session/invites/${code}/accept`);
  });
  it('names the recipient', () => {
    expect(shown({ domain: 'acme.test', form: 'domain' })).toContain('in <strong>acme.test</strong>');
    expect(shown({ form: 'email' })).toContain('the address that it was made for');
    expect(shown({ role: 'admin' })).toContain('as an admin');
  });
  it('writes a name as text, whatever it looks like', () => {
    const document = shown({ team: { name: `<script>alert("1")</script>'&`, kind: 'team' } });
    expect(document).not.toContain('<script');
    expect(document).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;');
  });
  it('needs nothing from elsewhere, and lets nothing in', () => {
    expect(shown()).not.toMatch(/<(script|link|img|style|form|iframe)|\bsrc=/);
    expect(shown().match(/href="[^"]*"/g)).toEqual([`href="https://carillon.example/console/join/${code}"`]);
    expect(documentHeaders['content-security-policy']).toMatch(
      /^default-src 'none';.*frame-ancestors 'none'/,
    );
    expect(documentHeaders['referrer-policy']).toBe('no-referrer');
  });
});

it('the document of one that is over says why', () =>
  expect(deadInviteDocument('The invite was revoked.')).toContain('<p>The invite was revoked.</p>'));
