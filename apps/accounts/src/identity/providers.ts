import { isAbsolute } from 'node:path';

/** An OpenID Connect provider that signs people in here, as the operator has configured it. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const file = 'The file of CARILLON_OIDC_FILE';
const members = ['id', 'name', 'issuer', 'clientId', 'clientSecretFile'];
const idForm = /^[a-z0-9][a-z0-9-]{0,31}$/;
const maxLength = 255;

/** Reads the providers of the setting. Throws an error with a sentence for each fault. */
export function providersOf(text: string, readFile: (path: string) => string): Provider[] {
  const entries = entriesOf(text);
  const faults: string[] = [];
  const providers = entries.map((entry, index) => {
    const fault = (what: string): void => void faults.push(`${file}: provider ${index + 1} ${what}.`);
    return providerOf(entry, fault, readFile);
  });
  providers.forEach(({ id }, index) => {
    if (providers.findIndex((each) => each.id === id) < index)
      faults.push(`${file}: provider ${index + 1} has the id of an earlier one, "${id}".`);
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return providers;
}

type ProviderEntry = Readonly<Record<string, unknown>>;

const isEntry = (value: unknown): value is ProviderEntry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function entriesOf(text: string): readonly ProviderEntry[] {
  const wrong = `${file} must be a JSON object with a list "providers" of objects, and nothing else.`;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(wrong, { cause: error });
  }
  const providers = isEntry(given) ? given['providers'] : undefined;
  if (!isEntry(given) || Object.keys(given).length !== 1 || !Array.isArray(providers)) throw new Error(wrong);
  if (!providers.every(isEntry)) throw new Error(wrong);
  return providers;
}

function providerOf(
  entry: ProviderEntry,
  fault: (what: string) => void,
  readFile: (path: string) => string,
): Provider {
  const textIn = (member: string): string => {
    const value = entry[member];
    if (typeof value === 'string' && value !== '' && value.length <= maxLength) return value;
    fault(`must have "${member}", a text of 1 to ${maxLength} characters`);
    return '';
  };
  for (const member of Object.keys(entry).filter((each) => !members.includes(each)))
    fault(`has a member "${member}" that is not known`);
  const id = textIn('id');
  const name = textIn('name');
  const issuer = textIn('issuer');
  const clientId = textIn('clientId');
  const secretFile = textIn('clientSecretFile');
  if (id !== '' && (!idForm.test(id) || id === 'callback'))
    fault(`must have an "id" of 1 to 32 small letters, digits and hyphens, and not "callback"`);
  if (issuer !== '' && !isIssuer(issuer))
    fault(`must have an "issuer" that is an https URL without query and fragment`);
  return {
    id,
    name,
    issuer,
    clientId,
    clientSecret: secretFile === '' ? '' : secretIn(secretFile, fault, readFile),
  };
}

function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.search === '' && url.hash === '' && url.username === '';
}

function secretIn(path: string, fault: (what: string) => void, readFile: (path: string) => string): string {
  if (!isAbsolute(path)) {
    fault(`must have a "clientSecretFile" that is an absolute path, not "${path}"`);
    return '';
  }
  try {
    const secret = readFile(path).trim();
    if (secret === '') fault(`has an empty "clientSecretFile", ${path}`);
    return secret;
  } catch (error) {
    fault(`has a "clientSecretFile" that cannot be read: ${(error as Error).message}`);
    return '';
  }
}
