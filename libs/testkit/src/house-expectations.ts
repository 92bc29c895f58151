import { ApiDescription } from './description';
import { eventually, pause } from './eventually';
import type { HousePhone } from './house-account';
import type { HouseAnswer } from './house-call';
import type { Receiver } from './receiver';

/** What a push provider got for a phone. */
export interface ReceivedPush {
  readonly n: number;
  readonly at: string;
  readonly provider: 'apns' | 'fcm';
  readonly headers: Record<string, string>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says itself what it looks for
  readonly payload: any;
  readonly verdict: { readonly status: number; readonly reason?: string };
  readonly shown: boolean;
  readonly why?: string;
}

export interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly service?: string;
  /** The line as it was written. */
  readonly text: string;
  readonly [field: string]: unknown;
}

/** What a process logs when one turn of its event loop took longer than anybody should wait for another. */
const heldLine = 'The event loop was held';
/**
 * Half a second is work that nobody bounded. Less may be the machine: what a hypervisor takes from a processor counts
 * as used by the thread that had it (105 ms were seen once, in stories that hold it for less than 30 ms elsewhere).
 */
const maxHeldMs = 500;

/** What is asked what it has done. */
interface ObservedHouse {
  simulator(method: string, path: string, body?: unknown): Promise<HouseAnswer>;
  description(file: string): Promise<HouseAnswer>;
}

/**
 * What a story expects of its house. All else is a problem: a push, an error in the logs, an event
 * loop that was held, an answer of another form.
 */
export class Expectations {
  readonly problems: string[] = [];
  private readonly seen = new Map<string, number>();
  private readonly expectedLogs: RegExp[] = [];
  private readonly misdescribed = new Map<string, string>();
  private descriptions: Promise<readonly ApiDescription[]> | undefined;
  private pushesMatter = true;
  /** Phones whose pushes do not matter. */
  private readonly ignored = new Set<string>();

  constructor(private readonly house: ObservedHouse) {}

  /** The simulator counts from the beginning again. */
  reset(): void {
    this.seen.clear();
  }

  /** All pushes that a provider received for this phone since the last call. Returned pushes count as expected. */
  async received(phone: Pick<HousePhone, 'id'>): Promise<ReceivedPush[]> {
    const { status, body } = await this.house.simulator(
      'GET',
      `/phones/${phone.id}/received?after=${this.seen.get(phone.id) ?? 0}`,
    );
    if (status !== 200) throw new Error(`the simulator answered ${status}: ${JSON.stringify(body)}`);
    this.seen.set(phone.id, body.next);
    return body.received;
  }

  /** Waits until a provider has received exactly this many new pushes for the phone, and returns them. */
  async expectPushes(
    phone: Pick<HousePhone, 'id'>,
    count: number,
    withinMs = 30_000,
  ): Promise<ReceivedPush[]> {
    const pushes: ReceivedPush[] = [];
    return eventually(
      async () => {
        pushes.push(...(await this.received(phone)));
        if (pushes.length > count)
          throw new Error(
            `${count} pushes were expected, ${pushes.length} came: ${JSON.stringify(pushes, null, 1)}`,
          );
        return pushes.length === count ? pushes : undefined;
      },
      () => `${count} pushes were expected, ${pushes.length} came`,
      withinMs,
    );
  }

  /** Pushes are not what this test is about: none of them is unexpected; of these phones only, where some are named. */
  ignorePushes(...phones: readonly Pick<HousePhone, 'id'>[]): void {
    if (phones.length === 0) this.pushesMatter = false;
    for (const { id } of phones) this.ignored.add(id);
  }

  /** An error that belongs to the story. */
  expectLog(pattern: RegExp): void {
    this.expectedLogs.push(pattern);
  }

  /** Compares an answer with what the API's own documents say of it. */
  async compare(method: string, path: string, answer: HouseAnswer): Promise<void> {
    try {
      for (const description of await (this.descriptions ??= this.readDescriptions()))
        if (description.covers(path))
          for (const fault of description.faults(method, path, answer))
            if (!this.misdescribed.has(fault))
              this.misdescribed.set(fault, JSON.stringify(answer.body).slice(0, 500));
    } catch (error) {
      this.misdescribed.set('the descriptions of the APIs cannot be read', String(error));
    }
  }

  private async readDescriptions(): Promise<readonly ApiDescription[]> {
    const files = ['agent.json', 'session.json'];
    const answers = await Promise.all(files.map((file) => this.house.description(file)));
    return answers.map(({ status, body }) => {
      if (status !== 200) throw new Error(`they were answered ${status}`);
      return new ApiDescription(body);
    });
  }

  /** Waits for pushes under way; pushes that no test has read by then are unexpected. */
  async lookForPushes(): Promise<void> {
    if (!this.pushesMatter) return;
    try {
      for (let before = ''; ;) {
        const now = JSON.stringify((await this.house.simulator('GET', '/stats')).body);
        if (now === before) break;
        before = now;
        await pause(100);
      }
      const { phones } = (await this.house.simulator('GET', '/phones')).body as { phones: HousePhone[] };
      for (const phone of phones.filter(({ id }) => !this.ignored.has(id)))
        for (const { n, provider, payload, verdict } of await this.received(phone))
          this.problems.push(
            `push ${n} to the ${phone.platform} phone by ${provider} (${verdict.status}): ${JSON.stringify(payload).slice(0, 500)}`,
          );
    } catch (error) {
      this.problems.push(`the simulator did not answer: ${String(error)}`);
    }
  }

  lookAtReplies(receiver: Receiver): void {
    for (const { path, headers, text } of receiver.unexpected())
      this.problems.push(
        `reply ${headers['webhook-id']} number ${headers['carillon-sequence']} to ${path}: ${text.slice(0, 500)}`,
      );
  }

  lookAtAnswers(): void {
    for (const [fault, body] of this.misdescribed) this.problems.push(`not as described: ${fault}: ${body}`);
  }

  /** The same line is one problem, however often it is read. */
  lookAtLogs(lines: readonly LogLine[]): void {
    const known = new Set(this.problems);
    for (const line of lines) {
      const problem = `logged: ${line.text.slice(0, 2000)}`;
      if (
        (/^(error|fatal)$/.test(line.level ?? '') ||
          (line.msg === heldLine && Number(line.heldMs) > maxHeldMs)) &&
        !this.expectedLogs.some((pattern) => pattern.test(line.text)) &&
        !known.has(problem)
      )
        this.problems.push(problem);
    }
  }
}
