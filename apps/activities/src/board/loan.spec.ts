import type {
  ActivityAdmitted,
  ActivityCapacityLent,
  ActivityCapacityReturned,
  CapacityLoan,
} from '@carillon/contracts';
import { plus } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { admitted as admittedOf, asking, at, idOf } from '../testbed';
import { admit, type Admitting, board, cutOf, release } from './board';
import { lend, type Lending, takeBack } from './loan';

/** Bob's board, which lends to an activity of Ann. */
const asked = (number: number, more: Partial<Lending> = {}): Lending => ({
  loanId: `loan ${number}`,
  accountId: 'usr_bob',
  borrowerId: 'usr_ann',
  activityId: idOf(number),
  deviceIds: ['dev_1'],
  leavingId: null,
  expiresAt: plus(at, 28_800_000),
  at,
  ...more,
});
const lent = (number: number, more: Partial<Lending> = {}): ActivityCapacityLent => {
  const { leavingId: _leavingId, at: lentAt, ...loan } = asked(number, more);
  return { type: 'ActivityCapacityLent', ...loan, lentAt };
};
const returned = (number: number): ActivityCapacityReturned => ({
  type: 'ActivityCapacityReturned',
  loanId: `loan ${number}`,
  accountId: 'usr_bob',
  returnedAt: at,
});
const own = (number: number, more: Partial<Admitting> = {}): Admitting =>
  asking(number, { accountId: 'usr_bob', ...more });
const admitted = (...[number, more, replacedId]: Parameters<typeof admittedOf>): ActivityAdmitted =>
  admittedOf(number, { accountId: 'usr_bob', ...more }, replacedId);
const four = [lent(1), lent(2), admitted(3), admitted(4)];

describe('capacity for an activity of another account', () => {
  it('is lent', () =>
    given(board)
      .when(lend(asked(1)))
      .then(lent(1)));
  it('is lent once when the same loan is requested twice', () =>
    given(board, lent(1))
      .when(lend(asked(1)))
      .thenNothing());
  it('is limited by the five activities on a device, of whichever account', () => {
    given(board, ...four)
      .when(lend(asked(5)))
      .then(lent(5));
    given(board, ...four, lent(5))
      .when(lend(asked(6)))
      .thenRefused('activity.capacity_exceeded', { limit: 5, deviceIds: ['dev_1'] });
    given(board, ...four, lent(5))
      .when(admit(own(6)))
      .thenRefused('activity.capacity_exceeded', { limit: 5, deviceIds: ['dev_1'] });
    given(board, ...four, lent(5))
      .when(admit(own(6, { deviceIds: ['dev_2'] })))
      .then(admitted(6, { deviceIds: ['dev_2'] }));
  });
  it('passes over from the activity that it replaces', () =>
    given(board, ...four, lent(5))
      .when(lend(asked(6, { leavingId: idOf(5) })))
      .then(lent(6)));
  it('is not refused as full to a concurrent copy of the same request', () =>
    given(board, ...four, lent(5))
      .when(lend(asked(5, { loanId: 'another try' })))
      .thenRefused('idempotency.in_progress'));
  it('is free again when it is released, and releasing twice does nothing', () => {
    const of = { loanId: 'loan 5', accountId: 'usr_bob', at };
    given(board, ...four, lent(5))
      .when(takeBack(of))
      .then(returned(5));
    given(board, ...four, lent(5), returned(5))
      .when(takeBack(of))
      .thenNothing();
    given(board, ...four, lent(5), returned(5))
      .when(lend(asked(6)))
      .then(lent(6));
  });
  it('is free from the deadline on, even without a release', () => {
    const short = given(board, ...four, lent(5, { expiresAt: plus(at, 60_000) }));
    short.when(lend(asked(6, { at: plus(at, 59_999) }))).thenRefused('activity.capacity_exceeded');
    short.when(lend(asked(6, { at: plus(at, 60_000) }))).then(lent(6, { at: plus(at, 60_000) }));
  });
  it('stays on a board that is truncated', () => {
    const long = [lent(1), ...Array.from({ length: 499 }, () => returned(2))].reduce(
      board.evolve,
      board.initial,
    );
    expect(long.events).toBe(500);
    expect(cutOf(long, 499n)).toBeUndefined();
  });
});

describe('an activity that has borrowed capacity', () => {
  const loan: CapacityLoan = { loanId: 'loan 1', lenderIds: ['usr_ann'] };
  const build = admitted(1, { key: 'build' });

  it('names the loan, also when it releases its capacity', () => {
    given(board)
      .when(admit(own(1, { loan })))
      .then(admitted(1, { loan }));
    given(board, admitted(1, { loan }))
      .when(release({ activityId: idOf(1), accountId: 'usr_bob', at }))
      .then({ type: 'ActivityReleased', activityId: idOf(1), accountId: 'usr_bob', loan, releasedAt: at });
  });
  it('replaces the activity that the capacity was lent for', () =>
    given(board, build)
      .when(admit(own(2, { key: 'build', replace: true, loan, leavingId: idOf(1) })))
      .then(admitted(2, { key: 'build', loan }, idOf(1))));
  it('is refused when it would replace a different activity by now', () => {
    const request = { key: 'build', replace: true, loan };
    given(board)
      .when(admit(own(2, { ...request, leavingId: idOf(1) })))
      .thenRefused('stream.concurrent_update');
    given(board, build)
      .when(admit(own(2, { ...request, leavingId: null })))
      .thenRefused('stream.concurrent_update');
  });
});
