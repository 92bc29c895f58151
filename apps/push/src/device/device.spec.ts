import type {
  ChangeDeviceTokens,
  DeviceDeactivated,
  DeviceRegistered,
  DeviceSeen,
  DeviceTokensChanged,
  RegisterDevice,
} from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { given } from '@carillon/testkit';
import {
  bind,
  changeTokens,
  deactivate,
  device,
  deviceSeen,
  deviceSession,
  isGone,
  freeSlot,
  slotOf,
  register,
  type Registration,
  remove,
  see,
} from './device';
import { installOf } from './install';

const at = (minutes: number): string => `2026-11-20T09:${String(minutes).padStart(2, '0')}:00.000Z`;
const id = 'dev_01k0000000e00280000000000';

const phone: RegisterDevice = {
  installId: 'install-1',
  platform: 'ios',
  deviceName: 'Ada’s iPhone',
  pushToken: 'token-1',
  pushEnvironment: 'sandbox',
  appBuild: '42',
  liveActivitiesCapable: true,
  interactiveLiveActivitiesCapable: false,
};
const registered: DeviceRegistered = {
  type: 'DeviceRegistered',
  deviceId: id,
  accountId: 'usr_1',
  installId: 'install-1',
  sessionId: 'ses_1',
  platform: 'ios',
  deviceName: 'Ada’s iPhone',
  pushToken: 'token-1',
  pushEnvironment: 'sandbox',
  pushToStartToken: null,
  appBuild: '42',
  liveActivitiesCapable: true,
  interactiveLiveActivitiesCapable: false,
  registeredAt: at(0),
};
const gone = (reason: DeviceDeactivated['reason'], minutes = 1): DeviceDeactivated => ({
  type: 'DeviceDeactivated',
  deviceId: id,
  accountId: 'usr_1',
  reason,
  ...(reason === 'removed' && { endedSessionId: 'ses_1' }),
  deactivatedAt: at(minutes),
});
const changed = (more: Partial<DeviceTokensChanged> = {}): DeviceTokensChanged => ({
  type: 'DeviceTokensChanged',
  deviceId: id,
  accountId: 'usr_1',
  pushToken: 'token-2',
  pushToStartToken: null,
  environment: 'sandbox',
  changedAt: at(2),
  ...more,
});

const tail = streamTail(id);
const registering = ({
  input = phone,
  ...more
}: Partial<Registration> & { readonly input?: RegisterDevice }) =>
  register({
    id,
    accountId: 'usr_1',
    slotId: tail,
    sessionId: 'ses_1',
    install: installOf(input, 'k1'),
    at: at(0),
    ...more,
  });

describe('registering a phone', () => {
  const asking = (minutes: number, more: Partial<RegisterDevice> = {}, newId = id) =>
    registering({ id: newId, input: { ...phone, ...more }, at: at(minutes) });

  it('makes it known', () => given(device).when(asking(0)).then(registered));
  it('does nothing the second time', () => given(device, registered).when(asking(0)).thenNothing());
  it('again keeps its id, though the time in a new one would differ', () =>
    given(device, registered)
      .when(asking(1, { pushToken: 'token-2' }, 'dev_01k0000010e00280000000000'))
      .then({ ...registered, pushToken: 'token-2', registeredAt: at(1) }));
  it('a minute later records that its address is still valid', () =>
    given(device, registered)
      .when(asking(1))
      .then({ ...registered, registeredAt: at(1) }));
  it.each(['moved', 'unregistered', 'bad_token'] as const)('that was %s makes it active', (why) =>
    given(device, registered, gone(why, 0))
      .when(asking(0))
      .then({ ...registered, registeredAt: at(0) }),
  );
  it('without a name removes the name', () =>
    given(device, registered)
      .when(registering({ input: { ...phone, deviceName: undefined } }))
      .then({ ...registered, deviceName: null }));
});

describe('registering a browser', () => {
  const subscription = {
    endpoint: 'https://push.example/a',
    keys: { p256dh: 'point', auth: 'secret' },
  };
  const browser: RegisterDevice = { installId: 'install-1', platform: 'web', subscription };
  const asking = (given: RegisterDevice, keyId: string, minutes = 0) =>
    registering({ sessionId: undefined, install: installOf(given, keyId), at: at(minutes) });
  const { sessionId: _none, ...known } = {
    ...registered,
    platform: 'web',
    deviceName: null,
    pushToken: 'https://push.example/a point secret k1',
    pushEnvironment: 'production',
    appBuild: 'web',
    liveActivitiesCapable: false,
  } as const;

  it('makes it known, without a session that would end with it', () =>
    given(device).when(asking(browser, 'k1')).then(known));
  it('again keeps the VAPID key of its subscription, also after the key has changed', () =>
    given(device, known)
      .when(asking(browser, 'k2', 1))
      .then({ ...known, registeredAt: at(1) }));
  it('with another subscription has the present VAPID key', () =>
    given(device, known)
      .when(
        asking({ ...browser, subscription: { ...subscription, endpoint: 'https://push.example/b' } }, 'k2'),
      )
      .then({ ...known, pushToken: 'https://push.example/b point secret k2' }));
  it('is undone when its endpoint moves, whatever keys came with that', () =>
    given(device, known)
      .when(deactivate({ token: 'https://push.example/a other keys k2', reason: 'moved', at: at(1) }))
      .then({ ...gone('moved') }));
  it('is not undone when another endpoint moves', () =>
    given(device, known)
      .when(deactivate({ token: 'https://push.example/b point secret k1', reason: 'moved', at: at(1) }))
      .thenNothing());
});

describe('changing its tokens', () => {
  const asking = (more: Partial<ChangeDeviceTokens>, accountId = 'usr_1') =>
    changeTokens({
      accountId,
      sessionId: 'ses_1',
      input: { id, environment: 'sandbox', ...more },
      at: at(2),
    });

  it('gives it another address', () =>
    given(device, registered)
      .when(asking({ pushToken: 'token-2' }))
      .then(changed()));
  it('does nothing the second time', () =>
    given(device, registered, changed())
      .when(asking({ pushToken: 'token-2' }))
      .thenNothing());
  it('of a live activity leaves the push address alone', () =>
    given(device, registered)
      .when(asking({ pushToStartToken: 'start-1' }))
      .then(changed({ pushToken: null, pushToStartToken: 'start-1' })));
  it('of a live activity says nothing about where the push address is valid', () => {
    const started = changed({ pushToken: null, pushToStartToken: 'start-1', environment: 'production' });
    const both = { pushToken: 'token-1', pushToStartToken: 'start-1' };
    given(device, registered, started)
      .when(asking({ pushToken: 'token-1' }))
      .thenNothing();
    given(device, registered, started)
      .when(asking({ ...both, environment: 'production' }))
      .then(changed({ pushToken: 'token-1', environment: 'production' }));
  });
  it('to the same address in another environment is a change', () =>
    given(device, registered)
      .when(asking({ pushToken: 'token-1', environment: 'production' }))
      .then(changed({ pushToken: 'token-1', environment: 'production' })));
  it('makes it active when only the old address had died', () => {
    given(device, registered, gone('unregistered'))
      .when(asking({ pushToken: 'token-2' }))
      .then(changed());
    given(device, registered, gone('unregistered'), changed())
      .when(deactivate({ token: 'token-2', reason: 'bad_token', at: at(3) }))
      .then(gone('bad_token', 3));
  });
  it.each(['moved', 'removed'] as const)('is refused when it was %s', (why) =>
    given(device, registered, gone(why))
      .when(asking({ pushToken: 'token-2' }))
      .thenRefused('device.not_found'),
  );
  it('is refused to another account, and for an id that only shares the tail', () => {
    given(device, registered)
      .when(asking({ pushToken: 'x' }, 'usr_2'))
      .thenRefused('device.not_found');
    given(device, registered)
      .when(asking({ pushToken: 'x', id: 'dev_01k0000010e00280000000000' }))
      .thenRefused('device.not_found');
    given(device)
      .when(asking({ pushToken: 'x' }))
      .thenRefused('device.not_found');
  });
});

describe('the session of a phone', () => {
  const { sessionId: _sessionId, ...unbound } = registered;
  const next: DeviceRegistered = { ...registered, sessionId: 'ses_2', endedSessionId: 'ses_1' };
  const tokensBy = (sessionId: string | undefined) =>
    changeTokens({
      accountId: 'usr_1',
      sessionId,
      input: { id, environment: 'sandbox', pushToken: 'token-2' },
      at: at(2),
    });

  it('ends when the install registers from another one', () =>
    given(device, registered)
      .when(registering({ sessionId: 'ses_2' }))
      .then(next));
  it('that ended does not restore the device by requests in transit', () => {
    given(device, registered, next).when(registering({})).thenRefused('session.ended');
    given(device, registered, gone('removed'))
      .when(registering({ slotId: `${tail}.1` }))
      .thenRefused('session.ended');
  });
  it('ended once, however often the device goes after that', () =>
    given(device, registered, gone('removed'))
      .when(registering({ sessionId: 'ses_2', slotId: `${tail}.1` }))
      .then({ ...registered, sessionId: 'ses_2', slotId: `${tail}.1` }));
  it('is the only one that may change the phone’s addresses', () => {
    given(device, registered).when(tokensBy('ses_2')).thenRefused('device.not_found');
    given(device, registered).when(tokensBy(undefined)).thenRefused('device.not_found');
    given(device, registered, next).when(tokensBy('ses_1')).thenRefused('device.not_found');
    given(device, registered, next).when(tokensBy('ses_2')).then(changed());
  });
  it('was not recorded in earlier versions: such a phone accepts any session of its account until it registers again', () => {
    given(device, unbound).when(tokensBy('ses_2')).then(changed());
    given(device, unbound).when(registering({})).then(registered);
    const { endedSessionId: _none, ...open } = gone('removed');
    given(device, unbound)
      .when(remove({ id, accountId: 'usr_1', at: at(1) }))
      .then(open);
  });
  it('is bound to the first install that registers with it', () => {
    const binding = { sessionId: 'ses_1', accountId: 'usr_1', device: tail, at: at(0) };
    const bound = {
      type: 'DeviceSessionBound',
      sessionId: 'ses_1',
      accountId: 'usr_1',
      device: tail,
      boundAt: at(0),
    } as const;
    given(deviceSession).when(bind(binding)).then(bound);
    given(deviceSession, bound).when(bind(binding)).thenNothing();
    given(deviceSession, bound)
      .when(bind({ ...binding, device: 'another' }))
      .thenRefused('session.other_device');
  });
});

describe('a dead address', () => {
  const asking = (token: string) => deactivate({ token, reason: 'unregistered', at: at(1) });

  it('makes its device inactive', () =>
    given(device, registered).when(asking('token-1')).then(gone('unregistered')));
  it('does nothing the second time', () =>
    given(device, registered, gone('unregistered')).when(asking('token-1')).thenNothing());
  it('does nothing to a device that has another by now', () =>
    given(device, registered, changed()).when(asking('token-1')).thenNothing());
  it('does nothing where there is no device', () => given(device).when(asking('token-1')).thenNothing());
});

describe('removing a device', () => {
  const asking = (more: Partial<Parameters<typeof remove>[0]> = {}) =>
    remove({ id, accountId: 'usr_1', at: at(1), ...more });

  it('ends it', () => given(device, registered).when(asking()).then(gone('removed')));
  it('does nothing the second time', () =>
    given(device, registered, gone('removed')).when(asking()).thenNothing());
  it.each(['moved', 'unregistered', 'bad_token'] as const)('that was %s ends it all the same', (why) =>
    given(device, registered, gone(why, 0)).when(asking()).then(gone('removed')),
  );
  it('leaves no address that could die or be changed', () => {
    given(device, registered, gone('removed'))
      .when(deactivate({ token: 'token-1', reason: 'bad_token', at: at(2) }))
      .thenNothing();
    expect(fold(device, [registered, gone('removed')])).toMatchObject({
      pushToken: '',
      pushToStartToken: null,
    });
  });
  it('is refused to another account, and for an id that only shares the tail', () => {
    given(device, registered)
      .when(asking({ accountId: 'usr_2' }))
      .thenRefused('device.unknown');
    given(device, registered)
      .when(asking({ id: 'dev_01k0000010e00280000000000' }))
      .thenRefused('device.unknown');
    given(device).when(asking()).thenRefused('device.unknown');
  });
});

describe('the receipts of a phone', () => {
  const seen = (minutes: number, ...ids: string[]): DeviceSeen => ({
    type: 'DeviceSeen',
    deviceId: id,
    accountId: 'usr_1',
    received: ids.map((notificationId) => ({ notificationId, receivedAt: at(minutes) })),
    seenAt: at(minutes),
  });
  const saying = (minutes: number, ...ids: string[]) =>
    see({
      deviceId: id,
      accountId: 'usr_1',
      receipts: ids.map((notificationId) => ({ notificationId, receivedAt: at(minutes) })),
      at: at(minutes),
    });

  it('are recorded', () =>
    given(deviceSeen)
      .when(saying(0, 'anot_1', 'anot_2'))
      .then(seen(0, 'anot_1', 'anot_2')));
  it('are recorded once', () => {
    given(deviceSeen, seen(0, 'anot_1')).when(saying(0, 'anot_1')).thenNothing();
    given(deviceSeen, seen(0, 'anot_1'))
      .when(saying(0, 'anot_1', 'anot_2', 'anot_2'))
      .then(seen(0, 'anot_2'));
  });
  it('update when the phone was last seen, once a minute at most, without new receipts', () =>
    given(deviceSeen, seen(0, 'anot_1')).when(saying(1, 'anot_1')).then(seen(1)));
});

describe('the slot of a device', () => {
  const state = (...events: (DeviceRegistered | DeviceDeactivated)[]) => fold(device, events);
  const back = { ...registered, sessionId: 'ses_2', slotId: `${tail}.1`, registeredAt: at(2) };

  it('stays the same until the device is removed, even without a valid address', () => {
    expect(slotOf(null, tail)).toBe(tail);
    expect(slotOf(state(registered, gone('unregistered')), tail)).toBe(tail);
  });

  it('is a new one each time the device registers again', () => {
    expect(slotOf(state(registered, gone('removed')), tail)).toBe(`${tail}.1`);
    expect(slotOf(state(registered, gone('removed'), back), tail)).toBe(`${tail}.1`);
    expect(slotOf(state(registered, gone('removed'), back, gone('removed', 3)), tail)).toBe(`${tail}.2`);
  });

  it('is recorded when the device registers again', () =>
    given(device, registered, gone('removed'))
      .when(registering({ slotId: `${tail}.1`, sessionId: 'ses_2', at: at(2) }))
      .then(back));

  it('is reserved again when the device was removed meanwhile', () =>
    given(device, registered, gone('removed'))
      .when(registering({ sessionId: 'ses_2' }))
      .thenRefused('stream.concurrent_update'));

  it('is freed by removing an unreachable device', () => {
    given(device, registered, gone('unregistered'))
      .when(freeSlot({ slotId: tail, at: at(5) }))
      .then(gone('removed', 5));
    for (const events of [[registered], [registered, gone('removed')], []])
      given(device, ...events)
        .when(freeSlot({ slotId: tail, at: at(5) }))
        .thenNothing();
  });

  it('is free when its device was removed or never registered', () => {
    expect(isGone(null, tail)).toBe(true);
    expect(isGone(state(registered), tail)).toBe(false);
    expect(isGone(state(registered, gone('unregistered')), tail)).toBe(false);
    expect(isGone(state(registered, gone('removed')), tail)).toBe(true);
    expect(isGone(state(registered, gone('removed'), back), tail)).toBe(true);
    expect(isGone(state(registered, gone('removed'), back), `${tail}.1`)).toBe(false);
  });
});
