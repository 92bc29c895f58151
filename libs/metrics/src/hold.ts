/** How often it is looked. What is used in this time may have been many short turns, so it is taken off. */
export const lookMs = 20;
/** Shorter ones are not told. */
const leastMs = 25;

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly usedMs: number;
}

/**
 * Finds holds of an event loop by looking at the time and at the processor's time of its thread from a timer of the
 * same loop: between two looks there is at most one turn that is longer than the timer's own pause. The time of garbage
 * collection is taken off. It is told a moment later, so a span is judged when the next but one ends.
 */
export function holdFinder() {
  let last: { readonly atMs: number; readonly usedMs: number } | undefined;
  let spans: Span[] = [];
  let collections: { readonly fromMs: number; readonly untilMs: number }[] = [];

  const heldIn = ({ fromMs, untilMs, usedMs }: Span): number =>
    collections.reduce(
      (heldMs, each) => heldMs - Math.max(0, Math.min(untilMs, each.untilMs) - Math.max(fromMs, each.fromMs)),
      usedMs - lookMs,
    );

  return {
    /** Gives how long the loop was held, for each hold that is known by now. */
    look(atMs: number, usedMs: number): number[] {
      if (last) spans.push({ fromMs: last.atMs, untilMs: atMs, usedMs: usedMs - last.usedMs });
      last = { atMs, usedMs };
      const ended = spans.slice(0, -2);
      spans = spans.slice(-2);
      const held = ended.map(heldIn).filter((heldMs) => heldMs >= leastMs);
      const [oldest] = spans;
      if (oldest) collections = collections.filter(({ untilMs }) => untilMs > oldest.fromMs);
      return held;
    },
    collected(fromMs: number, durationMs: number): void {
      collections.push({ fromMs, untilMs: fromMs + durationMs });
    },
  };
}
