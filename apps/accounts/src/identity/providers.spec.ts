import { providersOf } from './providers';

const provider = {
  id: 'example',
  name: 'Example',
  issuer: 'https://id.example',
  clientId: 'carillon',
  clientSecretFile: '/run/secret',
};
const read = (providers: unknown, readFile: (path: string) => string = () => 'secret\n') =>
  providersOf(JSON.stringify({ providers }), readFile);
const faultsOf = (providers: unknown, readFile?: (path: string) => string): string[] => {
  try {
    read(providers, readFile);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};
const file = 'The file of CARILLON_OIDC_FILE';

describe('the file of the providers', () => {
  it('gives them with their secrets', () => {
    const { clientSecretFile: _, ...rest } = provider;
    expect(read([provider])).toEqual([{ ...rest, clientSecret: 'secret' }]);
    expect(read([])).toEqual([]);
  });

  it.each([
    '',
    'providers',
    '[]',
    '{}',
    '{"providers":{}}',
    '{"providers":[1]}',
    '{"providers":[],"more":1}',
  ])('is a list, not %j', (text) =>
    expect(() => providersOf(text, () => '')).toThrow(
      `${file} must be a JSON object with a list "providers" of objects, and nothing else.`,
    ),
  );

  it.each([
    [{ id: undefined }, 'must have "id", a text of 1 to 255 characters'],
    [{ id: 'Example' }, 'must have an "id" of 1 to 32 small letters, digits and hyphens, and not "callback"'],
    [
      { id: 'callback' },
      'must have an "id" of 1 to 32 small letters, digits and hyphens, and not "callback"',
    ],
    [{ name: '' }, 'must have "name", a text of 1 to 255 characters'],
    [{ clientId: 7 }, 'must have "clientId", a text of 1 to 255 characters'],
    [
      { issuer: 'http://id.example' },
      'must have an "issuer" that is an https URL without query and fragment',
    ],
    [
      { issuer: 'https://id.example?a' },
      'must have an "issuer" that is an https URL without query and fragment',
    ],
    [{ clientSecretFile: 'secret' }, 'must have a "clientSecretFile" that is an absolute path, not "secret"'],
    [{ clientSecret: 'x' }, 'has a member "clientSecret" that is not known'],
  ])('with %j says what is wrong', (more, fault) =>
    expect(faultsOf([{ ...provider, ...more }])).toEqual([`${file}: provider 1 ${fault}.`]),
  );

  it('says each fault in a sentence', () =>
    expect(
      faultsOf([
        { ...provider, name: '' },
        { ...provider, issuer: 'x' },
      ]),
    ).toEqual([
      `${file}: provider 1 must have "name", a text of 1 to 255 characters.`,
      `${file}: provider 2 must have an "issuer" that is an https URL without query and fragment.`,
      `${file}: provider 2 has the id of an earlier one, "example".`,
    ]));

  it('says which secret cannot be read, or is empty', () => {
    const failing = (): string => {
      throw new Error('no such file');
    };
    expect(faultsOf([provider], failing)).toEqual([
      `${file}: provider 1 has a "clientSecretFile" that cannot be read: no such file.`,
    ]);
    expect(faultsOf([provider], () => '\n')).toEqual([
      `${file}: provider 1 has an empty "clientSecretFile", /run/secret.`,
    ]);
  });
});
