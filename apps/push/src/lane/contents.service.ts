import {
  type ActivityEnded,
  type ActivityProps,
  type ActivityStarted,
  type ActivityUpdated,
  forgottenProps,
  type InteractionAsked,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { DomainEvent, Recorded } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { isRecorded } from '@carillon/tracing';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Content } from './content';

type Showing = ActivityStarted | ActivityUpdated | ActivityEnded;

/** The content of an activity besides its props, and the devices that show it silently. */
type Base = Omit<Content, 'props'> & { readonly silentOn: ReadonlySet<string> };

/** The content of the end of an activity whose text is no longer readable. */
export const nothingLeft: Base & Content = {
  props: forgottenProps,
  prompt: null,
  choices: [],
  silentOn: new Set(),
};

const keptActivities = 2_000;
const keptChanges = 8_000;

/**
 * Finds the contents of activities. The text is in the log and cached in memory, until an account is deleted; lane rows
 * contain none of it.
 */
@Injectable()
export class Contents implements OnModuleDestroy {
  private readonly bases = new LRUCache<string, Base>({ max: keptActivities });
  private readonly props = new LRUCache<string, ActivityProps>({ max: keptChanges });
  /** The traceparents of changes whose traces are recorded. */
  private readonly traces = new LRUCache<string, string>({ max: keptChanges });

  /** How many times the cache was dropped: what was read before that is not cached afterwards. */
  private dropped = 0;
  private readonly stopListening: () => void;

  constructor(@Inject(Log) private readonly log: Log) {
    this.stopListening = log.onForgotten(() => {
      this.bases.clear();
      this.props.clear();
      this.dropped += 1;
    });
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /** Caches the content of an event that was read from the log. */
  onEvent({ event, metadata: { traceparent } }: Recorded): void {
    if (!isShowing(event) || event.props === null) return;
    // Decrypted before the account was deleted, followed after it.
    if (this.log.keys.atHand(event.accountId) === 'gone') return;
    this.props.set(changeOf(event.activityId, event.sequence), event.props);
    if (isRecorded(traceparent)) this.traces.set(changeOf(event.activityId, event.sequence), traceparent);
    if (event.type === 'ActivityStarted' && event.prompt?.kind !== 'reply')
      this.bases.set(event.activityId, { prompt: event.prompt, choices: [], silentOn: silentOn(event) });
  }

  /** The trace of the change with this sequence, if this process has seen the change and its trace is recorded. */
  traceOf(activityId: string, sequence: number): string | undefined {
    return this.traces.get(changeOf(activityId, sequence));
  }

  /** The content of the change with this sequence; undefined when it is no longer readable. */
  async find(activityId: string, sequence: number): Promise<(Base & Content) | undefined> {
    const base = this.bases.get(activityId) ?? (await this.baseOf(activityId));
    const props =
      this.props.get(changeOf(activityId, sequence)) ?? (await this.propsOf(activityId, sequence));
    return base && props && { ...base, props };
  }

  private async baseOf(activityId: string): Promise<Base | undefined> {
    const { dropped } = this;
    const started = await this.read(`activity-${streamTail(activityId)}`, 0n);
    if (!started || started.type !== 'ActivityStarted') return undefined;
    const { prompt } = started as ActivityStarted;
    const choices = prompt?.kind === 'reply' ? await this.choicesOf(prompt.id) : [];
    const base = { prompt, choices, silentOn: silentOn(started as ActivityStarted) };
    if (dropped === this.dropped) this.bases.set(activityId, base);
    return base;
  }

  /** The props of a change: the sequence of a change is the number of its event. */
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
}

const silentOn = ({ quietDeviceIds }: ActivityStarted): ReadonlySet<string> => new Set(quietDeviceIds);

const changeOf = (activityId: string, sequence: number): string => `${activityId} ${sequence}`;

const isShowing = (event: DomainEvent): event is Showing =>
  event.type === 'ActivityStarted' || event.type === 'ActivityUpdated' || event.type === 'ActivityEnded';
