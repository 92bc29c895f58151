import type { PromptEscalationEvent } from '@carillon/contracts';
import { plus } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { escalationOf } from '../prompt/prompt';
import { begin, escalation, paged } from './escalation';

const at = '2026-11-20T10:00:00.000Z';
const interactionId = 'int_1';
const begun: PromptEscalationEvent = { type: 'EscalationBegun', interactionId, begunAt: at };
const page = (pageId: string): PromptEscalationEvent => ({
  type: 'PromptPaged',
  interactionId,
  pageId,
  pagedAt: at,
});

describe('an unanswered prompt', () => {
  it('begins to escalate once, and only while it is pending', () => {
    given(escalation)
      .when(begin({ interactionId, isPending: true, at }))
      .then(begun);
    given(escalation, begun)
      .when(begin({ interactionId, isPending: true, at }))
      .thenNothing();
    given(escalation)
      .when(begin({ interactionId, isPending: false, at }))
      .thenNothing();
  });
  it('has one page, the first', () => {
    given(escalation, begun)
      .when(paged({ interactionId, pageId: 'page_1', at }))
      .then(page('page_1'));
    given(escalation, begun, page('page_1'))
      .when(paged({ interactionId, pageId: 'page_2', at }))
      .thenNothing();
  });
  it('has no page before its escalation begins', () =>
    given(escalation)
      .when(paged({ interactionId, pageId: 'page_1', at }))
      .thenNothing());
});

describe('the time at which a prompt escalates', () => {
  const asking = (afterSeconds: number) =>
    escalationOf(
      {
        title: 'Deploy?',
        prompt: 'Now?',
        kind: 'yes_no',
        escalateTo: { groupId: 'ocg_1', afterSeconds },
      },
      at,
      plus(at, 60_000),
    );
  it('is the requested time after it was asked', () =>
    expect(asking(59)).toEqual({ groupId: 'ocg_1', at: plus(at, 59_000) }));
  it('is before it expires', () => expect(() => asking(60)).toThrow('input.invalid'));
});
