import type { ServicePreset } from '@carillon/contracts';
import { type Instant, millis } from '@carillon/eventing';
import { isSameText, signingKeyOf } from '@carillon/signing';
import { createHmac } from 'node:crypto';
import type { HookRequest } from '../preset/read';

type Signed = Pick<HookRequest, 'headers' | 'payload'>;

/** A way of senders to prove that they know the secret, by the header that they use for it. */
interface Scheme {
  readonly header: string;
  readonly isValid: (signed: Signed, presented: string, secret: string, at: Instant) => boolean;
}

/** How far the time of a signature may be from ours; older requests may be replayed ones. */
const windowMs = 5 * 60 * 1000;
/** Standard Webhooks asks for 24 bytes; a key of a few anybody can guess. */
const minKeyBytes = 16;

/** GitHub: the body under the secret, in hexadecimal digits. */
const hub: Scheme = {
  header: 'x-hub-signature-256',
  isValid: ({ payload }, presented, secret) =>
    isSameText(presented, `sha256=${hmac(secret, payload).toString('hex')}`),
};

/** Sentry: as GitHub, without the name of the hash. Its timestamp is not signed, and not read. */
const sentry: Scheme = {
  header: 'sentry-hook-signature',
  isValid: ({ payload }, presented, secret) => isSameText(presented, hmac(secret, payload).toString('hex')),
};

/** Stripe: `t=<seconds>,v1=<hex>`, the time and the body; several signatures while a secret is being replaced. */
const stripe: Scheme = {
  header: 'stripe-signature',
  isValid: ({ payload }, presented, secret, at) => {
    const parts = presented.split(',').map((part) => part.trim().split('='));
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    const expected = hmac(secret, `${time}.`, payload).toString('hex');
    return (
      isRecent(time, at) && parts.some(([name, value = '']) => name === 'v1' && isSameText(value, expected))
    );
  },
};

/** GitLab's signing token: Standard Webhooks, with the id, the time and the body. */
const standard: Scheme = {
  header: 'webhook-signature',
  isValid: ({ headers, payload }, presented, secret, at) => {
    const { 'webhook-id': id = '', 'webhook-timestamp': time = '' } = headers;
    // Other secrets are not base64: decoded, little or nothing of them would be left as the key.
    if (!secret.startsWith('whsec_')) return false;
    const key = signingKeyOf(secret);
    if (key.length < minKeyBytes) return false;
    const expected = `v1,${hmac(key, `${id}.${time}.`, payload).toString('base64')}`;
    return isRecent(time, at) && presented.split(' ').some((each) => isSameText(each, expected));
  },
};

/** GitLab's secret token: the secret itself. */
const gitlabToken: Scheme = {
  header: 'x-gitlab-token',
  isValid: (_signed, presented, secret) => isSameText(presented, secret),
};

const byPreset: Partial<Record<ServicePreset, readonly Scheme[]>> = {
  github: [hub],
  gitlab: [standard, gitlabToken],
  sentry: [sentry],
  stripe: [stripe],
};
const all: readonly Scheme[] = [hub, sentry, stripe, standard, gitlabToken];

/**
 * Whether a request proves that its sender knows the secret: in the way of its preset, or for other presets in any of
 * the ways. The first header that is there counts.
 */
export function isSigned(preset: ServicePreset, signed: Signed, secret: string, at: Instant): boolean {
  for (const { header, isValid } of byPreset[preset] ?? all) {
    const presented = signed.headers[header];
    if (presented !== undefined) return isValid(signed, presented, secret, at);
  }
  return false;
}

function hmac(key: string | Buffer, ...parts: readonly (string | Buffer)[]): Buffer {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
}

const isRecent = (seconds: string, at: Instant): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(millis(at) - Number(seconds) * 1000) <= windowMs;
