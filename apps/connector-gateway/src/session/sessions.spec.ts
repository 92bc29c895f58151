import { mintSecret } from '@carillon/signing';
import type { CarillonAnswer } from '../carillon/answer';
import type { RouteSession } from '../carillon/carillon.client';
import type { Route } from '../routing/route';
import { lookMs, Sessions } from './sessions.service';

const route: Route = { name: 'wiki', url: 'https://h.test/', target: 'http://127.0.0.1:1' };
const access = { route: 'wiki', method: 'GET', path: '/' };
const session = mintSecret('carillon_gws_', '0').secret;
const yes = (name: string = session, userId = 'usr_1'): CarillonAnswer => ({
  kind: 'yes',
  body: { allowed: true, session: name, user: { id: userId }, appId: null, target: 'http://127.0.0.1:1' },
});
const no: CarillonAnswer = { kind: 'no', status: 403, code: 'SESSION_INVALID' };
const away: CarillonAnswer = { kind: 'away', why: 'ECONNREFUSED' };

/** Where most visitors come from here. */
const here = '203.0.113.7';
/** Sessions whose questions the test answers itself, by a clock that it moves. */
const sessions = () => {
  const asked: ((answer: CarillonAnswer) => void)[] = [];
  const question = () => new Promise<CarillonAnswer>((resolve) => asked.push(resolve));
  /** The questions about many, and what each of their sessions is answered: what is said is said of all others. */
  const questions: string[][] = [];
  const own = new Map<string, CarillonAnswer>();
  const revalidateAll = async (all: readonly RouteSession[]) => {
    questions.push(all.map((each) => each.session));
    const answer = await question();
    return all.map((each) => own.get(each.session) ?? answer);
  };
  let now = 1_000;
  const all = new Sessions(
    { redeem: question, revalidate: question, revalidateAll, busySeconds: 0 },
    async () => 'assertion',
    {
      now: () => now,
    },
  );
  const pass = (ms: number) => {
    for (const until = now + ms; now < until;) {
      now = Math.min(until, now + lookMs);
      all.look();
    }
  };
  const settle = async (answer: CarillonAnswer) => {
    asked.shift()!(answer);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { all, asked, questions, own, settle, pass };
};
const kindOf = async (state: ReturnType<Sessions['state']>) => (await state).kind;

describe('a session', () => {
  it('is asked about once by all who need it at once, and then not for a while', async () => {
    const { all, asked, settle, pass } = sessions();
    const first = all.state(route, session, access, here);
    const second = all.state(route, session, access, here);
    expect(asked).toHaveLength(1);
    await settle(yes());
    expect([await kindOf(first), await kindOf(second)]).toEqual(['open', 'open']);
    pass(2_400);
    expect(await kindOf(all.state(route, session, access, here))).toBe('open');
    expect(asked).toHaveLength(0);
    pass(200);
    const third = all.state(route, session, access, here);
    expect(asked).toHaveLength(1);
    await settle(no);
    expect(await kindOf(third)).toBe('ended');
  });

  it('counts from when it was asked about, however long the answer took', async () => {
    const { all, asked, settle, pass } = sessions();
    void all.state(route, session, access, here);
    pass(2_400);
    await settle(yes());
    pass(200);
    void all.state(route, session, access, here);
    expect(asked).toHaveLength(1);
  });

  it('is let in by nothing that was known before, when Carillon is away', async () => {
    const { all, settle, pass } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    pass(5_100);
    const later = all.state(route, session, access, here);
    await settle(away);
    expect(await kindOf(later)).toBe('away');
  });

  it('lives on its last answer for as long as that is worth anything', async () => {
    const { all, settle, pass } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    pass(4_800);
    const later = all.state(route, session, access, here);
    await settle(away);
    expect(await kindOf(later)).toBe('open');
  });

  it('that comes again as its answer grows old is not cut before Carillon was asked', async () => {
    const { all, asked, settle, pass } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    pass(4_900);
    const later = all.state(route, session, access, here);
    expect(asked).toHaveLength(1);
    await settle(yes());
    expect(await kindOf(later)).toBe('open');
    const cuts: string[] = [];
    all.hold(route, session, { cut: ({ kind }) => cuts.push(kind) }, 10);
    pass(2_000);
    expect(cuts).toEqual([]);
  });

  it('that is made up is not asked about when its form is wrong', async () => {
    const { all, asked } = sessions();
    expect(await kindOf(all.state(route, `${session}x`, access, here))).toBe('ended');
    expect(await kindOf(all.redeem(route, 'carillon_pass_nonsense', access, here))).toBe('ended');
    expect(asked).toHaveLength(0);
  });

  it('of a pass is known at once', async () => {
    const { all, asked, settle } = sessions();
    const redeemed = all.redeem(route, mintSecret('carillon_pass_', '0').secret, access, here);
    await settle(yes());
    expect(await kindOf(redeemed)).toBe('open');
    expect(await kindOf(all.state(route, session, access, here))).toBe('open');
    expect(asked).toHaveLength(0);
  });

  it('is asked about while it has something open, which is cut as soon as it is refused', async () => {
    const { all, asked, settle, pass } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    const cuts: string[] = [];
    const release = all.hold(route, session, { cut: ({ kind }) => cuts.push(kind) }, 10);
    expect(release).toBeDefined();
    pass(2_600);
    expect(asked).toHaveLength(1);
    await settle(yes());
    pass(2_600);
    expect(asked).toHaveLength(1);
    expect(cuts).toEqual([]);
    await settle(no);
    expect(cuts).toEqual(['ended']);
    release!();
    pass(10_000);
    expect(asked).toHaveLength(0);
  });

  it('is asked about with all others that have something open, and cut alone', async () => {
    const { all, asked, questions, own, settle, pass } = sessions();
    const cuts: string[] = [];
    const many = Array.from({ length: 60 }, () => mintSecret('carillon_gws_', '0').secret);
    for (const [index, each] of many.entries()) {
      void all.state(route, each, access, `203.0.113.${index}`);
      await settle(yes(each, `usr_${index}`));
      all.hold(route, each, { cut: ({ kind }) => cuts.push(`${index} ${kind}`) }, 10);
      pass(20);
      if (index === 29) expect(questions).toEqual([]);
    }
    pass(2_500);
    expect(questions.map((each) => each.length)).toEqual([50, 10]);
    expect(questions.flat()).toEqual(many);
    many.forEach((each, index) => own.set(each, yes(each, `usr_${index}`)));
    own.set(many[3]!, no).set(many[57]!, { kind: 'no', status: 403, code: 'CONNECTOR_DISABLED' });
    while (asked.length > 0) await settle(away);
    expect(cuts).toEqual(['3 ended', '57 disabled']);
    pass(2_500);
    expect(questions.slice(2).map((each) => each.length)).toEqual([50, 8]);
  });

  it('that nobody can be asked about is cut before five seconds are over', async () => {
    const { all, asked, settle, pass } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    const cuts: string[] = [];
    all.hold(route, session, { cut: ({ kind }) => cuts.push(kind) }, 10);
    pass(2_600);
    await settle(away);
    expect(cuts).toEqual([]);
    pass(2_400);
    expect(cuts).toEqual(['away']);
    expect(asked.length).toBeGreaterThan(0);
  });

  it('may have so much open and no more', async () => {
    const { all, settle } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    const first = all.hold(route, session, { cut: () => {} }, 1);
    expect(all.hold(route, session, { cut: () => {} }, 1)).toBeUndefined();
    first!();
    expect(all.hold(route, session, { cut: () => {} }, 1)).toBeDefined();
  });

  it('that was never good does not use up the limit of visitors with a session or from other networks', async () => {
    const { all, asked, settle, pass } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    for (let each = 0; each < 400; each += 1)
      void all.state(route, mintSecret('carillon_gws_', '0').secret, access, here);
    expect(asked.length).toBeLessThanOrEqual(50);
    expect(await kindOf(all.state(route, mintSecret('carillon_gws_', '0').secret, access, here))).toBe(
      'busy',
    );
    asked.length = 0;
    void all.state(route, mintSecret('carillon_gws_', '0').secret, access, '198.51.100.1');
    expect(asked).toHaveLength(1);
    asked.length = 0;
    pass(5_100);
    void all.state(route, session, access, here);
    expect(asked).toHaveLength(1);
  });

  it('of a pass is begun while others make up passes or sessions', async () => {
    const { all, asked } = sessions();
    for (let each = 0; each < 400; each += 1) {
      void all.redeem(route, mintSecret('carillon_pass_', '0').secret, access, here);
      void all.state(route, mintSecret('carillon_gws_', '0').secret, access, '198.51.100.1');
    }
    expect(asked.length).toBeLessThanOrEqual(100);
    expect(await all.redeem(route, mintSecret('carillon_pass_', '0').secret, access, here)).toMatchObject({
      kind: 'busy',
    });
    asked.length = 0;
    // Neither do invented sessions of the same network keep out a visitor with a pass.
    void all.redeem(route, mintSecret('carillon_pass_', '0').secret, access, '198.51.100.1');
    expect(asked).toHaveLength(1);
  });

  it('is made up from many networks no more than 150 times a minute', () => {
    const { all, asked } = sessions();
    for (let each = 0; each < 400; each += 1)
      void all.state(route, mintSecret('carillon_gws_', '0').secret, access, `203.0.113.${each}`);
    expect(asked).toHaveLength(150);
  });

  it('of somebody who has many of them does not use up what those of others need', async () => {
    const { all, asked, questions, settle, pass } = sessions();
    const mine = Array.from({ length: 30 }, () => mintSecret('carillon_gws_', '0').secret);
    for (const each of mine) {
      void all.state(route, each, access, here);
      await settle(yes(each));
      all.hold(route, each, { cut: () => {} }, 10);
    }
    void all.state(route, session, access, '198.51.100.1');
    await settle(yes(session, 'usr_2'));
    let alone = 0;
    for (let each = 0; each < 20; each += 1) {
      const before = questions.length;
      pass(2_600);
      for (const one of mine) void all.state(route, one, access, here);
      alone += asked.length - (questions.length - before);
      while (asked.length > 0) await settle(away);
    }
    expect(alone + questions.flat().length).toBe(240);
    void all.state(route, session, access, '198.51.100.1');
    expect(asked).toHaveLength(1);
  });

  it('lives on its last answer while Carillon takes no more questions, and no longer', async () => {
    const { all, settle, pass } = sessions();
    void all.state(route, session, access, here);
    await settle(yes());
    pass(2_600);
    const later = all.state(route, session, access, here);
    await settle({ kind: 'busy', retryAfterSeconds: 20 });
    expect(await kindOf(later)).toBe('open');
    pass(2_600);
    const muchLater = all.state(route, session, access, here);
    await settle({ kind: 'busy', retryAfterSeconds: 17 });
    expect(await muchLater).toEqual({ kind: 'busy', retryAfterSeconds: 17 });
  });
});
