import { documentHeaders } from '../html/document';
import { joinDocument } from './document';

describe('the document of an invite', () => {
  const shown = (code: string): string => joinDocument(code, 'https://carillon.example/');

  it('leads to the console, whatever the code is', () => {
    const code = '0123456789abcdefghjkmnpqrs';
    expect(shown(code).match(/href="[^"]*"/g)).toEqual([
      `href="https://carillon.example/console/join/${code}"`,
    ]);
    expect(shown('"><script>')).toContain('/console/join/%22%3E%3Cscript%3E"');
    expect(shown('a').replace('join/a', '')).toBe(shown('b').replace('join/b', ''));
  });
  it('needs nothing from elsewhere, and lets nothing in', () => {
    expect(shown('a')).not.toMatch(/<(script|link|img|style|form|iframe)|\bsrc=/);
    expect(documentHeaders['content-security-policy']).toMatch(
      /^default-src 'none';.*frame-ancestors 'none'/,
    );
    expect(documentHeaders['referrer-policy']).toBe('no-referrer');
  });
});
