/** The gateway's report about services that are not ready. */
export interface Unready {
  readonly service: string;
  readonly projection?: string;
  readonly reason: string;
  readonly percent?: number;
  readonly events?: number;
  readonly secondsLeft?: number;
}

/** The services that are not ready, from the gateway's answer; none when the answer lists none. */
export function unreadyIn(text: string): readonly Unready[] {
  try {
    return (JSON.parse(text) as { unready?: readonly Unready[] }).unready ?? [];
  } catch {
    return [];
  }
}

export const sentence = ({ service, projection, reason }: Unready): string =>
  [service, ...(projection ? [projection] : []), reason].join(' ');

/** How far the rows are that are made from the log, by the one that is furthest behind. Undefined when none are. */
export function howFar(unready: readonly Unready[]): string | undefined {
  const making = unready.filter(({ percent }) => percent !== undefined && percent < 100);
  const [slowest] = [...making].sort((one, other) => one.percent! - other.percent!);
  if (!slowest) return undefined;
  const { service, projection, percent, events = 0, secondsLeft } = slowest;
  const left = secondsLeft === undefined ? '' : `, about ${secondsLeft} s left`;
  return `made from the log: ${percent} % (${events.toLocaleString('en')} events)${left}; ${service} ${projection} is last of ${making.length}`;
}
