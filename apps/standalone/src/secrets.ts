import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivate, writePrivate } from './private-file';

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

const fresh = (): SecretValues => ({
  pepper: randomBytes(32).toString('base64'),
  keys: `k1:${randomBytes(32).toString('base64')}`,
  callerKey: randomBytes(32).toString('base64'),
  bootstrapSecret: text(32),
  databasePassword: text(24),
  natsPassword: text(24),
  eventStorePassword: text(24),
  email: 'owner@example.test',
  password: text(18),
});

/** CARILLON_DATA/secrets.json. */
export class Secrets {
  private constructor(
    private readonly file: string,
    private current: SecretValues,
  ) {}

  static open(dataFolder: string): Secrets {
    const file = join(dataFolder, 'secrets.json');
    const kept = readPrivate<SecretValues>(file);
    // A folder of an earlier version lacks what that did not know.
    const secrets = new Secrets(file, { ...fresh(), ...kept });
    secrets.keep({});
    return secrets;
  }

  get values(): Readonly<SecretValues> {
    return this.current;
  }

  keep(changes: Partial<SecretValues>): void {
    this.current = { ...this.current, ...changes };
    writePrivate(this.file, this.current);
  }
}
