import { readFileSync } from 'node:fs';

/**
 * What the environment says: the variable, or what is in the file that `<NAME>_FILE` names, as secrets are mounted.
 * Undefined when neither is there or both are empty.
 */
export function settingOf(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env[name];
  if (given) return given;
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    throw new Error(`The file that ${name}_FILE names cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** A setting from the environment, as `settingOf`. Throws when it is missing and there is no fallback. */
export function setting(name: string, fallback?: string): string {
  const value = settingOf(name) ?? fallback;
  if (value !== undefined) return value;
  throw new Error(`The setting ${name} is missing`);
}

export const isSet = (name: string): boolean => settingOf(name) !== undefined;

/** The least and the greatest value of a number, both included. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** The ports to listen on; 0 takes a free one. */
export const portRange: Range = { min: 0, max: 65_535 };

/** A whole number from the environment, from 1 to 1,000,000,000 unless a range is given. Throws when it is another. */
export function numberSetting(
  name: string,
  fallback: number,
  { min = 1, max = 1_000_000_000 }: Range = {},
): number {
  const text = setting(name, String(fallback));
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new Error(`The setting ${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}

/** 32 or more bytes as base64. */
export function secret(name: string): Buffer {
  const bytes = Buffer.from(setting(name), 'base64');
  if (bytes.length < 32) throw new Error(`The setting ${name} must be base64 of at least 32 bytes`);
  return bytes;
}
