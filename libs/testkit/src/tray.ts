import { eventually, pause } from './eventually';
import type { House } from './house';
import type { HousePhone } from './house-account';

/** What lies on the screen of a phone. */
export interface TrayItem {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly category: string | null;
  readonly actions: readonly { readonly answer: string; readonly label: string }[];
  readonly reply: boolean;
  readonly promptId?: string;
  readonly appId?: string;
  readonly actionDigest?: string;
  readonly interruptionLevel?: string;
}

/** What a phone shows, the newest first. */
export const trayOf = async (house: House, { id }: HousePhone): Promise<TrayItem[]> =>
  (await house.simulator('GET', `/phones/${id}`)).body.phone.tray;

/**
 * Moves the clock by so many seconds at a time until what was asked is answered: one phone waits for a retry that is
 * due later, the other one shows what it is to show, and is waited for.
 */
export async function whileTimePasses<Answer>(
  house: House,
  asked: Promise<Answer>,
  other: { readonly phone: HousePhone; readonly shows: (shown: TrayItem) => boolean },
  stepSeconds = 1,
): Promise<Answer> {
  let answered = false;
  void asked.finally(() => (answered = true)).catch(() => {});
  await eventually(
    async () => (await trayOf(house, other.phone)).some(other.shows) || undefined,
    () => 'the other phone does not show it',
  );
  for (let step = 0; step < 100 && !answered; step += 1) {
    await pause(100);
    if (!answered) await house.advance(stepSeconds);
  }
  return asked;
}
