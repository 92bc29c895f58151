import type {
  ActivityEnded,
  ActivityProps,
  ActivityStarted,
  ActivityUpdated,
  InteractionAsked,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { DomainEvent, Recorded } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { Content } from './content';

type Showing = ActivityStarted | ActivityUpdated | ActivityEnded;

interface Known {
  /** What it shows besides its props; undefined while only later events were met. */
  base: Omit<Content, 'props'> | undefined;
  readonly props: Map<number, ActivityProps>;
}

const keptActivities = 2_000;
const keptProps = 8;

/**
 * What activities show. The text is in the log and, for a while, in memory; rows of work carry none of it.
 */
@Injectable()
export class Contents {
  private readonly known = new Map<string, Known>();

  constructor(@Inject(Log) private readonly log: Log) {}

  /** Keeps what was just read from the log anyway. */
  learn({ event }: Recorded): void {
    if (!isShowing(event) || event.props === null) return;
    const known = this.of(event.activityId);
    known.props.set(event.sequence, event.props);
    if (known.props.size > keptProps) known.props.delete(known.props.keys().next().value!);
    if (event.type === 'ActivityStarted' && event.prompt?.kind !== 'reply')
      known.base = { prompt: event.prompt, choices: [] };
  }

  /** What the change with this sequence shows; undefined when nobody can read it any more. */
  async find(activityId: string, sequence: number): Promise<Content | undefined> {
    const known = this.of(activityId);
    const base = (known.base ??= await this.baseOf(activityId));
    const props = known.props.get(sequence) ?? (await this.propsOf(activityId, sequence));
    return base && props && { ...base, props };
  }

  private async baseOf(activityId: string): Promise<Omit<Content, 'props'> | undefined> {
    const started = await this.read(`activity-${streamTail(activityId)}`, 0n);
    if (!started || started.type !== 'ActivityStarted') return undefined;
    const { prompt } = started as ActivityStarted;
    return { prompt, choices: prompt?.kind === 'reply' ? await this.choicesOf(prompt.id) : [] };
  }

  /** An activity's changes are numbered as its events are. */
  private async propsOf(activityId: string, sequence: number): Promise<ActivityProps | undefined> {
    const event = await this.read(`activity-${streamTail(activityId)}`, BigInt(sequence - 1));
    if (!event || !isShowing(event) || event.sequence !== sequence) return undefined;
    return event.props ?? undefined;
  }

  private async choicesOf(promptId: string): Promise<readonly string[]> {
    const asked = await this.read(`interaction-${streamTail(promptId)}`, 0n);
    return ((asked as InteractionAsked | undefined)?.choices as readonly string[] | null | undefined) ?? [];
  }

  private async read(stream: string, revision: bigint): Promise<DomainEvent | undefined> {
    const [raw] = await this.log.store.read(stream, revision, 1);
    if (raw?.revision !== revision) return undefined;
    const [recorded] = await this.log.open([raw]);
    return recorded?.event;
  }

  private of(activityId: string): Known {
    let known = this.known.get(activityId);
    if (!known) {
      known = { base: undefined, props: new Map() };
      this.known.set(activityId, known);
      if (this.known.size > keptActivities) this.known.delete(this.known.keys().next().value!);
    }
    return known;
  }
}

const isShowing = (event: DomainEvent): event is Showing =>
  event.type === 'ActivityStarted' || event.type === 'ActivityUpdated' || event.type === 'ActivityEnded';
