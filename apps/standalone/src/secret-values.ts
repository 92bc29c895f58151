import { randomBytes } from 'node:crypto';

export interface FirstAccount {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

export interface PairedPhone {
  readonly id: string;
  readonly platform: 'ios' | 'android';
  readonly deviceId: string;
}

/** Everything that is made once, at the first start, and must stay the same. */
export interface SecretValues {
  pepper: string;
  keys: string;
  callerKey: string;
  auditKey: string;
  bootstrapSecret: string;
  databasePassword: string;
  natsPassword: string;
  eventStorePassword: string;
  email: string;
  password: string;
  accountId?: string;
  apiToken?: string | null;
  phones?: PairedPhone[];
  /** The address that the phones were paired with. */
  pairedWith?: string;
}

const text = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** What the first start makes. */
export const freshSecrets = (): SecretValues => ({
  pepper: randomBytes(32).toString('base64'),
  keys: `k1:${randomBytes(32).toString('base64')}`,
  callerKey: randomBytes(32).toString('base64'),
  auditKey: randomBytes(32).toString('base64'),
  bootstrapSecret: text(32),
  databasePassword: text(24),
  natsPassword: text(24),
  eventStorePassword: text(24),
  email: 'owner@example.test',
  password: text(18),
});
