import { join } from 'node:path';
import { readPrivate, writePrivate } from './private-file';
import { freshSecrets, type SecretValues } from './secret-values';

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
    const secrets = new Secrets(file, { ...freshSecrets(), ...kept });
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
