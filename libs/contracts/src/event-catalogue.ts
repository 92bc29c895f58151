import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of `event-catalogue.json` that programs read; `tools/event-catalogue.mjs` makes it. */
interface EventCatalogue {
  /** The last release; null before the first. */
  readonly released: string | null;
  /** Each event type, with the release that was the first to read it. */
  readonly types: Readonly<Record<string, { readonly since: string }>>;
}

/**
 * The event types that this release reads and does not write yet: programs of the previous release, which may run
 * beside it, cannot read them.
 */
export function withheldTypes({ released, types } = readCatalogue()): ReadonlySet<string> {
  const isFirst = !Object.values(types).some(({ since }) => since !== released && since !== 'unreleased');
  return new Set(
    Object.entries(types)
      .filter(
        ({ 1: { since } }) =>
          released !== null && (since === 'unreleased' || (since === released && !isFirst)),
      )
      .map(([type]) => type),
  );
}

const readCatalogue = (): EventCatalogue =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'event-catalogue.json'), 'utf8')) as EventCatalogue;
