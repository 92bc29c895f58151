import type { ActivityPushed, ActivityTokenRegistered } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import type { Settlement } from './lane';
import { laneRecord, laneTail, registerToken, settle } from './record';

const lane = { activityId: 'act_1', deviceId: 'dev_1', accountId: 'usr_1' };
const at = '2026-11-20T09:00:00.000Z';
const registered: ActivityTokenRegistered = {
  type: 'ActivityTokenRegistered',
  ...lane,
  token: 'aa',
  environment: 'sandbox',
  registeredAt: at,
};
const pushed = (more: Partial<ActivityPushed> = {}): ActivityPushed => ({
  type: 'ActivityPushed',
  ...lane,
  operation: 'update',
  sequence: 2,
  outcome: 'accepted',
  errorCode: null,
  pushedAt: at,
  ...more,
});
const settlement = (more: Partial<Settlement> = {}): Settlement => ({
  kind: 'update',
  sequence: 2,
  round: 0,
  outcome: 'accepted',
  errorCode: null,
  ...more,
});

describe('an update token', () => {
  const { type: _type, ...asked } = registered;

  it('is put on record', () => given(laneRecord).when(registerToken(asked)).then(registered));
  it('is put on record once', () => given(laneRecord, registered).when(registerToken(asked)).thenNothing());
  it('is a new token in another environment', () =>
    given(laneRecord, registered)
      .when(registerToken({ ...asked, environment: 'production' }))
      .then({ ...registered, environment: 'production' }));
  it('is personal', () =>
    expect(laneRecord.personal).toEqual({ ActivityTokenRegistered: ['token'], ActivityPushed: [] }));
});

describe('the outcomes of operations', () => {
  const told = (...settlements: Settlement[]) => settle({ ...lane, settlements, at });

  it('are recorded, several at once', () =>
    given(laneRecord)
      .when(told(settlement({ sequence: 3 }), settlement({ outcome: 'superseded' })))
      .then(pushed({ sequence: 3 }), pushed({ outcome: 'superseded' })));
  it('is put on record once', () => given(laneRecord, pushed()).when(told(settlement())).thenNothing());
  it('repeat the recipients', () =>
    given(laneRecord)
      .when(settle({ ...lane, recipients: ['usr_2'], settlements: [settlement()], at }))
      .then(pushed({ recipients: ['usr_2'] })));
  it('keep the first result', () =>
    given(laneRecord, pushed())
      .when(told(settlement({ outcome: 'superseded' })))
      .thenNothing());
  it('are separate for each round', () =>
    given(laneRecord, pushed())
      .when(told(settlement({ round: 1 })))
      .then(pushed({ round: 1 })));
});

it('a lane’s stream is named after the activity and the device', () =>
  expect(laneTail('act_01k0000000abcdefghjkmnpqrs', 'dev_01k0000000tvwxyz0123456789')).toBe(
    'abcdefghjkmnpqrstvwxyz0123456789',
  ));
