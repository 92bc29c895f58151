import { refusalAnswer } from './refusal-answer';
import * as refusals from './refusal';

describe('a refusal', () => {
  it('is a document for a browser, which leads to the app in Carillon', () => {
    const document = refusalAnswer(
      refusals.sessionRequired('https://carillon.example/apps/app_1?"x"'),
      'text/html,*/*',
    );
    expect(document.status).toBe(401);
    expect(document.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(document.headers['www-authenticate']).toBe('Carillon');
    expect(document.headers['cache-control']).toBe('no-store');
    expect(document.body).toContain('href="https://carillon.example/apps/app_1?&#34;x&#34;"');
  });

  it('is JSON for all others', () => {
    const document = refusalAnswer(
      refusals.sessionRequired('https://carillon.example/apps/app_1'),
      undefined,
    );
    expect(JSON.parse(document.body)).toEqual({
      error: 'This app opens from Carillon, for those who may use it.',
      code: 'SESSION_REQUIRED',
      open: 'https://carillon.example/apps/app_1',
    });
  });

  it('of a session that has ended makes the browser forget what it keeps', () =>
    expect(
      refusalAnswer(refusals.sessionEnded('https://c.example', 'cookie=; Max-Age=0'), '*/*').headers,
    ).toMatchObject({
      'set-cookie': 'cookie=; Max-Age=0',
      'clear-site-data': '"cache"',
    }));

  it('says for how long Carillon has been away', () => {
    expect(refusals.carillonAway(12).text).toContain('has not answered for 12 seconds');
    expect(refusalAnswer(refusals.carillonAway(0), '*/*').headers['retry-after']).toBe('5');
  });
});
