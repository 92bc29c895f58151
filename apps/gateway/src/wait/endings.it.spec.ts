import { answer, type Answer, Bus, Handles } from '@carillon/bus';
import { EndedAmong, Interactions } from '@carillon/contracts';
import { newId } from '@carillon/signing';
import { eventually, type StandIns, startNats, startStandIns } from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { Endings } from './endings';

let asked: (readonly string[])[] = [];
const over = new Set<string>();

/** Stands where interactions stands, without ever sending a signal. */
@Controller()
class SilentInteractions {
  @Handles(Interactions.endedAmong)
  endedAmong({ ids }: EndedAmong): Answer<{ ids: string[] }> {
    asked.push(ids);
    return answer({ ids: ids.filter((id) => over.has(id)) });
  }
}

let nats: Awaited<ReturnType<typeof startNats>>;
let service: StandIns;
let bus: Bus;
let endings: Endings;
const prompt = () => newId('int', Date.now());
const listening = (id: string) => {
  const seen = { woken: 0, stop: (): void => {} };
  seen.stop = endings.listen(id, () => (seen.woken += 1));
  return seen;
};
const woken = (seen: { woken: number }) =>
  eventually(
    () => seen.woken > 0 || undefined,
    () => 'nobody was woken',
  );

const startService = async (): Promise<void> => {
  service = await startStandIns(nats.url, SilentInteractions);
};
beforeAll(async () => {
  process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');
  nats = await startNats();
  await startService();
  bus = await Bus.open(nats.url, 'test');
});
beforeEach(async () => {
  asked = [];
  over.clear();
  endings = new Endings(bus);
  endings.onModuleInit();
  await bus.alive();
});
afterEach(() => endings.onModuleDestroy());
afterAll(async () => {
  await bus?.close();
  await service?.close();
  await nats?.stop();
});

describe('a listener for the end of a prompt', () => {
  it('is woken by its signal, and by no other', async () => {
    const [mine, other] = [prompt(), prompt()];
    const [one, same, another] = [listening(mine), listening(mine), listening(other)];
    bus.signal('interaction.ended', mine, { position: '1' });
    await woken(one);
    await woken(same);
    expect(another.woken).toBe(0);
    for (const { stop } of [one, same, another]) stop();
  });

  it('is woken a moment later when the signal is lost', async () => {
    const [mine, other] = [prompt(), prompt()];
    const [one, another] = [listening(mine), listening(other)];
    over.add(mine);
    await woken(one);
    expect(another.woken).toBe(0);
    one.stop();
    another.stop();
  });

  it('is woken even when the service was unavailable for a while', async () => {
    const mine = prompt();
    await service.close();
    const one = listening(mine);
    over.add(mine);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(one.woken).toBe(0);
    await startService();
    await woken(one);
    one.stop();
  });

  it('costs one question for 500 of them', async () => {
    const all = Array.from({ length: 1_200 }, () => listening(prompt()));
    expect(endings.size).toBe(1_200);
    await eventually(
      () => asked.length >= 3 || undefined,
      () => 'nobody was asked',
    );
    expect(asked.slice(0, 3).map((ids) => ids.length)).toEqual([500, 500, 200]);
    for (const { stop } of all) stop();
  });

  it('leaves no entry behind, and an empty gateway does not poll', async () => {
    const id = prompt();
    const [one, other] = [listening(id), listening(id)];
    one.stop();
    expect(endings.size).toBe(1);
    bus.signal('interaction.ended', id, { position: '1' });
    await woken(other);
    expect(one.woken).toBe(0);
    other.stop();
    other.stop();
    expect(endings.size).toBe(0);
    asked = [];
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(asked).toEqual([]);
  });
});
