import type { DefaultWebhookChosen, WebhookAdmitted, WebhookReleased } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import {
  accountWebhooks,
  admit,
  choose,
  maxWebhooks,
  release,
  targetsOf,
  unchoose,
} from './account-webhooks';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';
const admitted = (n: number, admittedAt = at): WebhookAdmitted => ({
  type: 'WebhookAdmitted',
  accountId: 'usr_1',
  webhookId: `whk_${n}`,
  admittedAt,
});
const released = (n: number): WebhookReleased => ({
  type: 'WebhookReleased',
  accountId: 'usr_1',
  webhookId: `whk_${n}`,
  releasedAt: later,
});
const chosen = (n: number | null): DefaultWebhookChosen => ({
  type: 'DefaultWebhookChosen',
  accountId: 'usr_1',
  webhookId: n === null ? null : `whk_${n}`,
  chosenAt: later,
});
const the = (n: number) => ({ accountId: 'usr_1', webhookId: `whk_${n}`, at: later });
const full = Array.from({ length: maxWebhooks }, (_, n) => admitted(n + 1));

describe('slots for a reply webhook', () => {
  it('is there', () =>
    given(accountWebhooks)
      .when(admit({ ...the(1), missing: [] }))
      .then(admitted(1, later)));
  it('is taken once', () =>
    given(accountWebhooks, admitted(1))
      .when(admit({ ...the(1), missing: [] }))
      .thenNothing());
  it('is there for twenty', () => {
    given(accountWebhooks, ...full.slice(1))
      .when(admit({ ...the(21), missing: [] }))
      .then(admitted(21, later));
    given(accountWebhooks, ...full)
      .when(admit({ ...the(21), missing: [] }))
      .thenRefused('resource.limit_reached', { limit: 20 });
  });
  it('is there again when one was deleted', () =>
    given(accountWebhooks, ...full, released(7))
      .when(admit({ ...the(21), missing: [] }))
      .then(admitted(21, later)));
  it('is taken from those that are not there', () =>
    given(accountWebhooks, ...full)
      .when(admit({ ...the(21), missing: ['whk_3', 'whk_9'] }))
      .then(released(3), released(9), admitted(21, later)));
  it('is not taken from one that is being made', () =>
    given(accountWebhooks, ...full.slice(1), admitted(99, later))
      .when(admit({ ...the(21), missing: ['whk_99'] }))
      .thenRefused('resource.limit_reached'));
  it('is taken from a default that is not there', () =>
    given(accountWebhooks, ...full, chosen(3))
      .when(admit({ ...the(21), missing: ['whk_3'] }))
      .then(released(3), chosen(null), admitted(21, later)));
});

describe('the default', () => {
  it('moves in one step', () =>
    given(accountWebhooks, admitted(1), admitted(2), chosen(1))
      .when(choose(the(2)))
      .then(chosen(2)));
  it('chosen twice is chosen once', () =>
    given(accountWebhooks, admitted(1), chosen(1))
      .when(choose(the(1)))
      .thenNothing());
  it('is one that the account has', () => {
    given(accountWebhooks)
      .when(choose(the(1)))
      .thenRefused('webhook.unknown');
    given(accountWebhooks, admitted(1), released(1))
      .when(choose(the(1)))
      .thenRefused('webhook.unknown');
  });
  it('is cleared', () =>
    given(accountWebhooks, admitted(1), chosen(1))
      .when(unchoose(the(1)))
      .then(chosen(null)));
  it('is cleared once', () =>
    given(accountWebhooks, admitted(1), chosen(1), chosen(null))
      .when(unchoose(the(1)))
      .thenNothing());
  it('stays when another is told not to be it', () =>
    given(accountWebhooks, admitted(1), admitted(2), chosen(1))
      .when(unchoose(the(2)))
      .thenNothing());
});

describe('a deleted reply webhook', () => {
  it('releases its slot', () =>
    given(accountWebhooks, admitted(1), admitted(2), chosen(2))
      .when(release(the(1)))
      .then(released(1)));
  it('is the default no more', () =>
    given(accountWebhooks, admitted(1), chosen(1))
      .when(release(the(1)))
      .then(released(1), chosen(null)));
  it('gives it back once', () =>
    given(accountWebhooks, admitted(1), released(1))
      .when(release(the(1)))
      .thenNothing());
});

describe('the webhooks that hear of a prompt', () => {
  it.each<[string | null, string | null, string[]]>([
    [null, null, []],
    ['whk_1', null, ['whk_1']],
    [null, 'whk_2', ['whk_2']],
    ['whk_1', 'whk_2', ['whk_1', 'whk_2']],
    ['whk_1', 'whk_1', ['whk_1']],
  ])('with the default %s and the chosen %s are %j', (defaultId, chosenId, ids) =>
    expect(targetsOf({ defaultId }, chosenId)).toEqual(ids),
  );
});
