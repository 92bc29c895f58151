import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const included = /^include .*\n/m;
const account = /user: "([^"]+)", password: \$\w+/g;

/** The users of NATS with a password each, all from one secret. */
export class NatsUsers {
  private readonly accounts: string;

  constructor(
    checkout: string,
    private readonly secret: string,
  ) {
    this.accounts = readFileSync(join(checkout, 'k8s/chart/files/nats/accounts.conf'), 'utf8');
  }

  passwordOf(user: string): string {
    return createHmac('sha256', this.secret).update(user).digest('base64url');
  }

  /** For the server's configuration. */
  get configuration(): string {
    return this.accounts
      .replace(included, '')
      .replaceAll(account, (_, user: string) => `user: "${user}", password: "${this.passwordOf(user)}"`);
  }
}
