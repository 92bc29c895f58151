import { eventually } from './eventually';

/** One message of a stream of server-sent events. */
export interface SseMessage {
  readonly event: string;
  readonly id: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says itself what it looks for
  readonly data: any;
}

/** A client of an event stream, as a browser's EventSource. */
export class ListeningClient {
  readonly told: SseMessage[] = [];
  /** Where a browser would go on after an interruption. */
  lastId = '';
  /** All that came, as it came. */
  text = '';
  /** The service ended it. */
  ended = false;
  private rest = '';
  private readonly reading: Promise<void>;

  constructor(
    readonly answer: Response,
    private readonly leaving: AbortController,
  ) {
    this.reading = this.read().catch(() => {});
  }

  get status(): number {
    return this.answer.status;
  }

  /** Waits until exactly this many messages have come since the start, and returns them. */
  async heard(count: number, withinMs = 10_000): Promise<readonly SseMessage[]> {
    const missing = (): string => `${count} messages were expected, these came: ${JSON.stringify(this.told)}`;
    await eventually(() => this.told.length >= count || undefined, missing, withinMs);
    if (this.told.length > count) throw new Error(missing());
    return this.told;
  }

  /** Waits until the service ends it. */
  async end(withinMs = 10_000): Promise<void> {
    await eventually(
      () => this.ended || undefined,
      () => 'the stream goes on',
      withinMs,
    );
  }

  /** Goes away. */
  async leave(): Promise<void> {
    this.leaving.abort();
    await this.reading;
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.answer.body ?? []) {
      const text = decoder.decode(chunk as Uint8Array, { stream: true });
      this.text += text;
      const blocks = (this.rest + text).split('\n\n');
      this.rest = blocks.pop() ?? '';
      blocks.forEach((block) => this.take(block));
    }
    this.ended = true;
  }

  private take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => {
        const [name = '', ...value] = line.split(': ');
        return [name, value.join(': ')];
      }),
    );
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    this.told.push({ event: fields.get('event') ?? 'message', id: this.lastId, data: JSON.parse(data) });
  }
}

/** Listens to a stream; resolves when the service has answered, whatever it said. */
export async function listen(url: string, headers: Record<string, string>): Promise<ListeningClient> {
  const leaving = new AbortController();
  const answer = await fetch(url, { headers, signal: leaving.signal });
  return new ListeningClient(answer, leaving);
}
