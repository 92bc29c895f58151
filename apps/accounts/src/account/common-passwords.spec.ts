import { isCommon } from './common-passwords';

const ofAccount = ['ada.lovelace@example.test', 'Ada Lovelace'];

describe('a password', () => {
  it.each([
    'password1234',
    'Password2026!',
    'passwordpassword',
    '123456789012',
    'qwertyuiop12',
    'aaaaaaaaaaaa',
    'abababababab',
    'xk7xk7xk7xk7',
    'AdaLovelace1815',
    'ada.lovelace@example.test',
    'letmein-letmein',
    '            ',
  ])('"%s" is one of the first that a guesser tries', (password) =>
    expect(isCommon(password, ofAccount)).toBe(true),
  );

  it.each([
    'correct horse battery',
    'kX9#vLq2!mPz',
    'ein langer Satz mit Ada',
    '829174630558',
    'пароль с кириллицей',
  ])('"%s" is not', (password) => expect(isCommon(password, ofAccount)).toBe(false));
});
