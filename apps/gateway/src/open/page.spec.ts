import { openPage } from './page';

it('the page of a web app says how it is opened, and writes an id as text', () => {
  expect(openPage('app_1', 'https://carillon.example/')).toContain(
    '<code>POST https://carillon.example/api/session/apps/app_1/passes</code>',
  );
  expect(openPage('<script>"', 'https://carillon.example')).not.toMatch(/<script|"app/);
});
