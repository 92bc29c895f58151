import type { LedgerEntry } from './ledger';
import type { Names } from './observe';

/**
 * What is not as a restored installation must be: what was acknowledged before the backup began is there, nothing is
 * there twice, and nothing that nobody asked for. What was acknowledged later may be lost.
 */
export function judgeRestored(
  entries: readonly LedgerEntry[],
  backupMs: number,
  { notification, prompt, page, approved }: Names,
): string[] {
  const of = (kind: LedgerEntry['kind']) => entries.filter((entry) => entry.kind === kind);
  const kept = (kind: LedgerEntry['kind']): string[] =>
    of(kind).flatMap(({ told, untilMs, name }) =>
      told === 'acknowledged' && untilMs <= backupMs ? [name] : [],
    );
  const answers = new Set(approved);
  return [
    ...Object.entries({ notification, prompt, page }).flatMap(([each, names]) => {
      const kind = each as 'notification' | 'prompt' | 'page';
      const counts = new Map<string, number>();
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
      const asked = new Set(of(kind).map(({ name }) => name));
      return [
        ...kept(kind).flatMap((name) => (counts.has(name) ? [] : [`${kind} "${name}" is lost`])),
        ...[...counts].flatMap(([name, count]) => [
          ...(count > 1 ? [`${kind} "${name}" is there ${count} times`] : []),
          ...(asked.has(name) ? [] : [`${kind} "${name}" was not asked for`]),
        ]),
      ];
    }),
    ...kept('answer').flatMap((name) => (answers.has(name) ? [] : [`the answer to "${name}" is lost`])),
  ];
}
