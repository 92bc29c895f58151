import { KeyRing } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { Service } from './service';

/** Seals the secrets with which senders sign. They are never shown. */
@Injectable()
export class SenderSecrets {
  constructor(@Inject(KeyRing) private readonly ring: KeyRing) {}

  /** Undefined, for no change, and null, for none, stay what they are. */
  seal(serviceId: string, secret: string | null | undefined): { sealedSenderSecret?: string | null } {
    if (secret === undefined) return {};
    return { sealedSenderSecret: secret === null ? null : this.ring.seal(secret, contextOf(serviceId)) };
  }

  /** Null for a service whose sender need not sign. */
  of({ id, sealedSenderSecret }: Pick<Service, 'id' | 'sealedSenderSecret'>): string | null {
    return sealedSenderSecret === null
      ? null
      : this.ring.open(sealedSenderSecret, contextOf(id)).toString('utf8');
  }
}

const contextOf = (serviceId: string): string => `service.sender_secret ${serviceId}`;
