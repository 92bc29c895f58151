import { check, Email, Text } from '@carillon/schema';
import { Refused } from '@carillon/eventing';
import type { NewIdentity } from '../account/account';

/** Somebody whom a provider has named, as far as accounts take it. */
export interface KnownPerson {
  readonly identity: NewIdentity;
  /** Undefined unless the provider says that the address is verified. */
  readonly address: string | undefined;
  readonly name: string;
}

/** What a provider says of a person, with a signature that is right. */
export interface Identified {
  readonly issuer: string;
  readonly subject: string;
  readonly email: unknown;
  readonly emailVerified: boolean;
  readonly name: unknown;
}

class Address {
  @Email() email!: string;
}
class Name {
  @Text(1, 80) name!: string;
}

/** As OpenID Connect Core 2 has it. */
const subjectForm = /^[\x20-\x7e]{1,255}$/;

/** Refused `identity.login_failed` for a subject that none may have. */
export function personOf(
  provider: string,
  { issuer, subject, emailVerified, ...claims }: Identified,
): KnownPerson {
  if (!subjectForm.test(subject)) throw new Refused('identity.login_failed');
  const addressed = check(Address, { email: claims.email });
  const email = addressed.ok ? addressed.value.email : null;
  const named = check(Name, { name: claims.name });
  return {
    identity: { provider, issuer, subject, email },
    address: email !== null && emailVerified ? email : undefined,
    name: named.ok ? named.value.name : (email?.split('@')[0] ?? subject).slice(0, 80),
  };
}
