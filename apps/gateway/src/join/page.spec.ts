import type { InviteNotice } from '@carillon/contracts';
import { deadPage, invitePage, pageHeaders } from './page';

const code = '0123456789abcdefghjkmnpqrs';
const shown = (said: Partial<InviteNotice> = {}): string =>
  invitePage(
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

describe('the page of an invite', () => {
  it('tells who is invited into what, until when, and how it is accepted', () => {
    const page = shown();
    expect(page).toContain('into the family <strong>The Smiths</strong>');
    expect(page).toContain('2026-11-27 09:00');
    expect(page).toContain(`POST https://carillon.example/api/session/invites/${code}/accept`);
  });
  it('tells whom it is for', () => {
    expect(shown({ domain: 'acme.test', form: 'domain' })).toContain('in <strong>acme.test</strong>');
    expect(shown({ form: 'email' })).toContain('the address that it was made for');
    expect(shown({ role: 'admin' })).toContain('as an admin');
  });
  it('writes a name as text, whatever it looks like', () => {
    const page = shown({ team: { name: `<script>alert("1")</script>'&`, kind: 'team' } });
    expect(page).not.toContain('<script');
    expect(page).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;');
  });
  it('needs nothing from elsewhere, and lets nothing in', () => {
    expect(shown()).not.toMatch(/<(script|link|img|style|form|iframe)|\b(src|href)=/);
    expect(pageHeaders['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(pageHeaders['referrer-policy']).toBe('no-referrer');
  });
});

it('the page of one that is over says why', () =>
  expect(deadPage('The invite was revoked.')).toContain('<p>The invite was revoked.</p>'));
