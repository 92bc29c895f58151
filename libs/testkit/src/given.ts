import { type Decide, type Decider, type DomainEvent, fold, Refused } from '@carillon/eventing';

export interface Then<Event> {
  /** Exactly these events, in this order. */
  then(...events: Event[]): void;
  /** Asked twice, happened once. */
  thenNothing(): void;
  thenRefused(reason: string, details?: Record<string, unknown>): void;
}

/** A decision told as a story: given these events, when this is asked, then these events. */
export const given = <State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  ...events: NoInfer<Event>[]
): { when(decide: Decide<State, Event>): Then<Event> } => ({
  when(decide) {
    const outcome = (): readonly Event[] | Refused => {
      try {
        return decide(fold(decider, events));
      } catch (error) {
        if (error instanceof Refused) return error;
        throw error;
      }
    };
    return {
      then: (...expected) => expect(outcome()).toEqual(expected),
      thenNothing: () => expect(outcome()).toEqual([]),
      thenRefused: (reason, details) => {
        const refusal = outcome();
        expect(refusal).toBeInstanceOf(Refused);
        expect(refusal).toMatchObject({ reason, ...(details && { details }) });
      },
    };
  },
});
