import { useSignal } from '@preact/signals';

export interface TimeWindow {
  readonly startsAt: string;
  readonly endsAt: string;
}

/** The attributes by which a drag knows what an element stands for. */
export const windowOf = ({ startsAt, endsAt }: TimeWindow) => ({ 'data-from': startsAt, 'data-to': endsAt });

/**
 * Tells which window of time somebody has dragged over, from the element where the pointer went down to the one where
 * it was let go. `isMarked` says whether the window so far is over another one.
 */
export function useDrag(pick: (window: TimeWindow) => void) {
  const first = useSignal<TimeWindow | undefined>(undefined);
  const marked = useSignal<TimeWindow | undefined>(undefined);
  const end = (): void => {
    first.value = undefined;
    marked.value = undefined;
  };
  const follow = (event: PointerEvent): void => {
    const under = windowUnder(event);
    if (first.value && under) marked.value = around(first.value, under);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
      if (event.button !== 0) return;
      first.value = windowUnder(event);
      marked.value = first.value;
      if (first.value) event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: follow,
    onPointerUp: (event: PointerEvent): void => {
      follow(event);
      const { value } = marked;
      end();
      if (value) pick(value);
    },
    onPointerCancel: end,
  };
  const isMarked = ({ startsAt, endsAt }: TimeWindow): boolean =>
    marked.value !== undefined && startsAt < marked.value.endsAt && endsAt > marked.value.startsAt;
  return { isMarked, handlers };
}

function windowUnder({ clientX, clientY }: PointerEvent): TimeWindow | undefined {
  const element = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-from]');
  const { from: startsAt, to: endsAt } = element?.dataset ?? {};
  return startsAt !== undefined && endsAt !== undefined ? { startsAt, endsAt } : undefined;
}

const around = (one: TimeWindow, other: TimeWindow): TimeWindow => ({
  startsAt: Date.parse(one.startsAt) < Date.parse(other.startsAt) ? one.startsAt : other.startsAt,
  endsAt: Date.parse(one.endsAt) > Date.parse(other.endsAt) ? one.endsAt : other.endsAt,
});
