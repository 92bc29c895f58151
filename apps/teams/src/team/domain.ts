import type { DomainSet, DomainVerified } from '@carillon/contracts';

/** The e-mail domain of a workplace team. */
export interface Domain {
  readonly verified: string | null;
  readonly pending: Pending | null;
}

/** A domain in its A-label form, and the token that proves it. */
export interface Pending {
  readonly domain: string;
  readonly token: string;
}

export const noDomain: Domain = { verified: null, pending: null };

export function evolveDomain(domain: Domain, event: DomainSet | DomainVerified): Domain {
  switch (event.type) {
    case 'DomainSet':
      return { ...domain, pending: { domain: event.domain, token: event.token } };
    case 'DomainVerified':
      return { verified: event.domain, pending: null };
  }
}

/** The TXT record that proves a domain. */
export const challengeOf = ({ domain, token }: Pending): { host: string; value: string } => ({
  host: `_carillon-verification.${domain}`,
  value: `carillon-verify=${token}`,
});
