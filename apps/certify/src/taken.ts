import { changeId } from './load';

/** What the providers have taken, by their own record. */
export interface Taken {
  /** By the id of what was pushed: for which phones. */
  readonly phones: ReadonlyMap<string, ReadonlySet<string>>;
  /** By what was pushed to which phone: under which ids of requests. Only APNs has such. */
  readonly requests: ReadonlyMap<string, ReadonlySet<string>>;
  /** By page: which phones have rung for which step of it, each pair once. */
  readonly rings: ReadonlyMap<string, readonly string[]>;
}

interface Line {
  readonly phoneId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly verdict: { readonly status: number };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as either provider got it
  readonly payload: any;
}

/** Reads the file to which the providers write each push before they answer. */
export function takenBy(record: string): Taken {
  const phones = new Map<string, Set<string>>();
  const requests = new Map<string, Set<string>>();
  const rings = new Map<string, Map<string, string>>();
  const add = (to: Map<string, Set<string>>, key: string, value: string): void =>
    void to.set(key, (to.get(key) ?? new Set()).add(value));
  for (const text of record.split('\n').filter(Boolean)) {
    const { phoneId, headers, verdict, payload }: Line = JSON.parse(text);
    if (verdict.status !== 200 || phoneId === null) continue;
    const { type, id, escalationStep } = payload?.carillon ?? payload?.data ?? {};
    if (type === 'activity') {
      // Each push replaces the content of the activity; its status names the change.
      const change = /step (\d+)\b/.exec(JSON.stringify(payload))?.[1];
      if (change) add(phones, changeId(change), phoneId);
      continue;
    }
    if (id === undefined || type === 'withdraw') continue;
    add(phones, id, phoneId);
    const apnsId = headers['apns-id'];
    if (apnsId !== undefined) add(requests, `${id} on ${phoneId} ${escalationStep ?? ''}`.trim(), apnsId);
    if (type === 'page')
      rings.set(id, (rings.get(id) ?? new Map()).set(`${phoneId} ${escalationStep}`, phoneId));
  }
  return {
    phones,
    requests,
    rings: new Map([...rings].map(([page, steps]) => [page, [...steps.values()]])),
  };
}
