import { readFileSync } from 'node:fs';

/**
 * A setting from the environment. `<NAME>_FILE` names a file that holds the value instead, as secrets are mounted.
 * Throws when it is missing and there is no fallback.
 */
export function setting(name: string, fallback?: string): string {
  const file = process.env[`${name}_FILE`];
  const value = process.env[name] ?? (file ? readFileSync(file, 'utf8').trim() : undefined);
  if (value !== undefined && value !== '') return value;
  if (fallback !== undefined) return fallback;
  throw new Error(`The setting ${name} is missing`);
}

export const isSet = (name: string): boolean => setting(name, '') !== '';

/** A whole number from the environment. */
export function numberSetting(name: string, fallback: number): number {
  const text = setting(name, String(fallback));
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new Error(`The setting ${name} must be a whole number, not "${text}"`);
  return value;
}

/** 32 or more bytes as base64. */
export function secret(name: string): Buffer {
  const bytes = Buffer.from(setting(name), 'base64');
  if (bytes.length < 32) throw new Error(`The setting ${name} must be base64 of at least 32 bytes`);
  return bytes;
}
