import { Accounts, type KnownKeys, type RewrappedKeys } from '@carillon/contracts';
import { type Ask, ofEachService } from './operator';

/** The key that all services seal with. Throws when one of them still seals with another. */
export function sealingKey(rings: readonly KnownKeys[]): string {
  const [first] = rings;
  if (!first) throw new Error('no service has answered');
  const { sealsWith } = first;
  const behind = rings.filter((each) => each.sealsWith !== sealsWith).map(({ service }) => service);
  if (behind.length > 0)
    throw new Error(`${behind.join(', ')} does not seal with ${sealsWith} yet: restart each process first`);
  return sealsWith;
}

/** Wraps the accounts' keys with the key that seals, part after part of the log. */
export async function rotateKeys(ask: Ask): Promise<object> {
  const key = sealingKey((await ofEachService(ask, (operations) => operations.keys)).map(({ keys }) => keys));
  let [rewrapped, broken] = [0, 0];
  for (let after: string | null = '0'; after !== null;) {
    const part: RewrappedKeys = await ask(Accounts.rewrapKeys, { after });
    rewrapped += part.rewrapped;
    broken += part.broken;
    after = part.next;
  }
  return { ok: broken === 0, key, rewrapped, broken };
}
