import { openAppDocument } from './document';

it('the document of a web app says how it is opened, and writes an id as text', () => {
  expect(openAppDocument('app_1', 'https://carillon.example/')).toContain(
    '<code>POST https://carillon.example/api/session/apps/app_1/passes</code>',
  );
  expect(openAppDocument('<script>"', 'https://carillon.example')).not.toMatch(/<script|"app/);
});
